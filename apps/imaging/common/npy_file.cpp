// SPDX-License-Identifier: BSD-3-Clause
#include "common/npy_file.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace plait::imaging {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::string_view magic = "\x93NUMPY";

struct header {
  std::string type;  ///< "<f8"
  std::vector<std::int64_t> shape;
};

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw usage_error(fmt::format("{}: {}", path, what));
}

/// Returns what follows `key` in the header's dictionary.
std::string_view after(const std::string& path, std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) refuse(path, fmt::format("its header has no {}", key));
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) refuse(path, "its header is not a dictionary");
  return text.substr(text.find_first_not_of(' ', colon + 1));
}

std::vector<std::int64_t> parse_shape(const std::string& path, std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == std::string_view::npos)
    refuse(path, "its shape is not a tuple");
  std::vector<std::int64_t> shape;
  const char* at = text.data() + 1;
  while (at < text.data() + end) {
    std::int64_t extent = 0;
    const auto [next, code] = std::from_chars(at, text.data() + end, extent);
    if (code == std::errc()) shape.push_back(extent);
    at = code == std::errc() ? next : at + 1;
  }
  return shape;
}

header parse_header(const std::string& path, std::string_view text) {
  header result;
  const std::string_view type = after(path, text, "'descr'");
  if (type.front() != '\'') refuse(path, "an array of records; plain numbers are read");
  result.type = std::string(type.substr(1, type.find('\'', 1) - 1));
  if (after(path, text, "'fortran_order'").substr(0, 4) == "True")
    refuse(path, "an array in Fortran's order; save numpy.ascontiguousarray of it");
  result.shape = parse_shape(path, after(path, text, "'shape'"));
  return result;
}

template <class T>
std::vector<double> converted(const std::string& path, std::string_view bytes, std::size_t count) {
  if (bytes.size() != count * sizeof(T))
    refuse(path, fmt::format("{} bytes of numbers, where its shape says {}", bytes.size(),
                             count * sizeof(T)));
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::vector<double> numbers(const std::string& path, const std::string& type,
                            std::string_view bytes, std::size_t count) {
  if (type == "<f8") return converted<double>(path, bytes, count);
  if (type == "<f4") return converted<float>(path, bytes, count);
  if (type == "<i8") return converted<std::int64_t>(path, bytes, count);
  if (type == "<i4") return converted<std::int32_t>(path, bytes, count);
  if (type == "<i2") return converted<std::int16_t>(path, bytes, count);
  if (type == "<u8") return converted<std::uint64_t>(path, bytes, count);
  if (type == "<u4") return converted<std::uint32_t>(path, bytes, count);
  if (type == "<u2") return converted<std::uint16_t>(path, bytes, count);
  if (type == "|u1" || type == "|b1") return converted<std::uint8_t>(path, bytes, count);
  if (type == "|i1") return converted<std::int8_t>(path, bytes, count);
  refuse(path, fmt::format("numbers of type {}; little-endian integers and floats are read", type));
}

}  // namespace

number_array detail::parse_npy(const std::string& path, const std::string& bytes) {
  if (!std::string_view(bytes).starts_with(magic) || bytes.size() < 12)
    refuse(path, "not a file of NumPy's");
  const bool has_long_header = bytes[6] != 1;
  const std::size_t start = has_long_header ? 12 : 10;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, has_long_header ? 4 : 2);
  if (start + length > bytes.size()) refuse(path, "its header is cut off");
  const header head = parse_header(path, std::string_view(bytes).substr(start, length));
  std::size_t count = 1;
  for (const std::int64_t extent : head.shape) {
    if (extent < 0 || (extent > 0 && count > bytes.size() / static_cast<std::size_t>(extent)))
      refuse(path, "its shape has more numbers than the file");
    count *= static_cast<std::size_t>(extent);
  }
  return {head.shape,
          numbers(path, head.type, std::string_view(bytes).substr(start + length), count)};
}

void write_npy(const std::string& path, const number_array& array) {
  std::string shape;
  for (const std::int64_t extent : array.shape) shape += fmt::format("{},", extent);
  std::string head =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  head.append(63 - (magic.size() + 4 + head.size()) % 64, ' ');
  head += '\n';
  const auto length = static_cast<std::uint16_t>(head.size());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  const auto put = [&](const void* from, std::size_t size) {
    return std::fwrite(from, 1, size, file.get()) == size;
  };
  if (!file || !put(magic.data(), magic.size()) || !put("\x01\x00", 2) || !put(&length, 2) ||
      !put(head.data(), head.size()) ||
      !put(array.values.data(), array.values.size() * sizeof(double)) ||
      std::fflush(file.get()) != 0)
    throw error(fmt::format("cannot write {}", path));
}

}  // namespace plait::imaging
