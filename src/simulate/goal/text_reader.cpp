// SPDX-License-Identifier: BSD-3-Clause
#include "text_reader.hpp"

#include <utility>

#include <fmt/format.h>

namespace plait::simulate {
namespace {

/// Printable beginning of what was found, for a message.
[[nodiscard]] std::string shown(std::string_view found) {
  if (found.empty()) return "the end of the line";
  std::string text = "'";
  for (const char c : found.substr(0, 20)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + "'";
}

}  // namespace

program text_reader::read(const passed_bytes& passed) {
  for (std::size_t at = 0; at < text_.size();) {
    std::size_t end = text_.find('\n', at);
    if (end == std::string_view::npos) end = text_.size();
    ++line_number_;
    read_line(text_.substr(at, end - at));
    at = end + 1;
    if (!in_rank_) passed(at);
  }
  finish();
  return std::move(read_);
}

/// Reads by itself what stands between comments: no statement goes on behind a comment.
void text_reader::read_line(std::string_view line) {
  while (!line.empty()) {
    if (in_comment_) {
      const std::size_t end = line.find("*/");
      if (end == std::string_view::npos) return;
      in_comment_ = false;
      line.remove_prefix(end + 2);
      continue;
    }
    std::size_t begin = line.find('/');
    while (begin != std::string_view::npos && line.substr(begin, 2) != "//" &&
           line.substr(begin, 2) != "/*")
      begin = line.find('/', begin + 1);
    read_statements(line.substr(0, begin));
    if (begin == std::string_view::npos) return;
    if (line[begin + 1] == '/') {
      if (begin == 0) take_name(line.substr(2));
      return;
    }
    in_comment_ = true;
    line.remove_prefix(begin + 2);
  }
}

void text_reader::take_name(std::string_view comment) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = comment.find_first_not_of(blanks);
  const std::size_t end = comment.find_last_not_of(blanks) + 1;
  name_ = begin == std::string_view::npos ? "" : comment.substr(begin, end - begin);
}

void text_reader::read_statements(std::string_view part) {
  for (words line(part); !line.at_end();) statement(line);
}

void text_reader::statement(words& line) {
  if (line.take("}")) return close_rank();
  const std::string_view first = line.word();
  if (first == "num_ranks") return ranks(line);
  if (first == "rank") return open_rank(line);
  if (first.empty()) {
    bad(fmt::format("a label, an operation or '}}' stands here, not {}", shown(line.left())));
  } else if (!in_rank_) {
    bad(fmt::format("'rank NUMBER {{' stands before {}", shown(first)));
  } else {
    operation_or_edge(line, first);
  }
  line.drop();
}

void text_reader::ranks(words& line) {
  const auto count = line.number();
  if (stated_ranks_) return bad("num_ranks stands once only");
  if (!count || *count == 0 || *count >= any) {
    bad(fmt::format("num_ranks needs a number from 1 to {}", any - 1));
    return line.drop();
  }
  stated_ranks_ = static_cast<std::uint32_t>(*count);
}

void text_reader::open_rank(words& line) {
  const auto number = line.number();
  if (!number || !line.take("{")) {
    bad(fmt::format("'rank NUMBER {{' goes on with {}", shown(line.left())));
    return line.drop();
  }
  if (!stated_ranks_) bad("num_ranks stands before the first rank");
  if (in_rank_) {
    bad(fmt::format("rank {} has no '}}'", read_.ranks()));
    close_rank();
  }
  in_rank_ = true;
  name_ = {};
  if (*number != read_.ranks())
    bad(fmt::format("rank {} stands where rank {} is expected: all ranks in ascending order",
                    *number, read_.ranks()));
  else if (stated_ranks_ && *number >= *stated_ranks_)
    bad(fmt::format("rank {} of {} ranks", *number, *stated_ranks_));
}

void text_reader::close_rank() {
  if (!in_rank_) return bad("'}' without a rank");
  in_rank_ = false;
  labels_.clear();
  read_.template_of.push_back(static_cast<std::uint32_t>(read_.templates.size()));
  read_.templates.push_back(current_.build());
}

void text_reader::operation_or_edge(words& line, std::string_view first) {
  if (first == "send" || first == "recv" || first == "calc") return add(line, first, {});
  if (line.take(":")) return add(line, line.word(), first);
  const std::string_view verb = line.word();
  if (verb == "requires" || verb == "irequires") return edge(line, first, verb == "irequires");
  bad(fmt::format("{} is followed by ':', 'requires' or 'irequires', not {}", shown(first),
                  shown(verb.empty() ? line.left() : verb)));
}

void text_reader::edge(words& line, std::string_view later, bool after_start) {
  const std::string_view earlier = line.word();
  if (earlier.empty()) return bad(fmt::format("a label stands here, not {}", shown(line.left())));
  const auto to = labels_.find(later);
  const auto from = labels_.find(earlier);
  if (to == labels_.end() || from == labels_.end())
    return bad(fmt::format("there is no label {} above this line in rank {}",
                           shown(to == labels_.end() ? later : earlier), read_.ranks()));
  if (!line.at_end()) return bad(fmt::format("the line goes on with {}", shown(line.left())));
  if (after_start) {
    current_.irequire(to->second, from->second);
  } else {
    current_.require(to->second, from->second);
  }
}

void text_reader::add(words& line, std::string_view kind, std::string_view label) {
  operation read;
  bool right = false;
  if (kind == "calc") {
    const auto duration = line.number();
    if (duration) read.size = *duration;
    right = duration && places(line, read, false);
    if (!duration) bad(fmt::format("calc needs a duration, not {}", shown(line.left())));
  } else if (kind == "send" || kind == "recv") {
    read.kind = kind == "send" ? operation_kind::send : operation_kind::receive;
    right = message(line, read) && places(line, read, true);
  } else {
    bad(fmt::format("send, recv or calc stands here, not {}",
                    shown(kind.empty() ? line.left() : kind)));
  }
  if (right && !line.at_end()) bad(fmt::format("the line goes on with {}", shown(line.left())));
  if (current_.size() + 2 >= too_many_operations) return bad("the rank has too many operations");
  if (in_rank_) read.name = names_.number(std::string(std::exchange(name_, {})));
  // A bad one is added too: what depends on it is not wrong for that.
  const std::uint32_t number = current_.add(read, line_number_);
  if (!label.empty()) labels_.emplace(label, number);  // the first of two equal labels stays
}

bool text_reader::message(words& line, operation& read) {
  const bool sends = read.kind == operation_kind::send;
  const auto size = line.number();
  if (!size || !line.take("b")) {
    bad(fmt::format("a size such as 8b stands here, not {}", shown(line.left())));
    return false;
  }
  read.size = *size;
  if (!line.take(sends ? "to" : "from")) {
    bad(fmt::format("'{}' stands here, not {}", sends ? "to" : "from", shown(line.left())));
    return false;
  }
  if (!sends && line.take("-1")) {
    read.peer = any;
    return true;
  }
  const auto peer = line.number();
  if (!peer || *peer >= stated_ranks_.value_or(any)) {
    bad(peer ? fmt::format("there is no rank {}: there are {}", *peer, stated_ranks_.value_or(any))
             : fmt::format("the number of a rank stands here, not {}", shown(line.left())));
    return false;
  }
  read.peer = static_cast<std::uint32_t>(*peer);
  return true;
}

/// tag, cpu and nic; tags count modulo 2^32, the others modulo 256.
bool text_reader::places(words& line, operation& read, bool of_message) {
  std::optional<std::uint64_t> number;
  if (of_message && line.take("tag")) {
    if (line.take("-1")) {
      read.tag = any;
    } else if ((number = line.number())) {
      read.tag = static_cast<std::uint32_t>(*number);
    } else {
      bad(fmt::format("tag needs a number, not {}", shown(line.left())));
      return false;
    }
  }
  for (const auto& [name, place] : {std::pair{"cpu", &read.cpu}, std::pair{"nic", &read.nic}}) {
    if ((place == &read.nic && !of_message) || !line.take(name)) continue;
    number = line.number();
    if (!number) {
      bad(fmt::format("{} needs a number, not {}", name, shown(line.left())));
      return false;
    }
    *place = static_cast<std::uint8_t>(*number);
  }
  return true;
}

void text_reader::finish() {
  if (in_comment_) problems_.of_file("the last comment has no end");
  if (in_rank_) {
    problems_.of_file(fmt::format("rank {} has no '}}' before the end", read_.ranks()));
    close_rank();
  }
  if (!stated_ranks_) {
    problems_.of_file("there is no num_ranks: is it a GOAL file?");
  } else if (read_.ranks() < *stated_ranks_) {
    problems_.of_file(fmt::format("{} of {} ranks are missing: rank {} is the first",
                                  *stated_ranks_ - read_.ranks(), *stated_ranks_, read_.ranks()));
  }
  problems_.finish();
}

}  // namespace plait::simulate
