// SPDX-License-Identifier: BSD-3-Clause
// Links that SimGrid simulates, by its own rules of sharing.  Of `simulate_simgrid` alone: Debian's
// SimGrid stands on ns-3, which is under the GPL.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xbt/log.h>

#include "topology.hpp"

namespace plait::network::simulate {
namespace {

namespace sg4 = simgrid::s4u;

/// Returns SimGrid's engine, of which a process has one.  Never destroyed: it would complain of
/// flows under way after an error.
///
/// A flow has its share of bytes from its first moment: latencies are counted by who starts flows,
/// so that messages of one stream follow each other without pause.  The factors that SimGrid puts
/// on rates and latencies for TCP are 1 here, since figures of a platform are taken as those of
/// payload.
sg4::Engine& engine() {
  static sg4::Engine* const made = [] {
    static char name[] = "simulate";
    static char* words[] = {name, nullptr};
    static int count = 1;
    xbt_log_control_set("root.thres:critical");
    xbt_log_control_set("root.fmt:%m%n");
    auto* const only = new sg4::Engine(&count, words);
    std::signal(SIGINT, SIG_DFL);
    for (const char* setting :
         {"network/model:CM02", "network/latency-factor:0", "network/bandwidth-factor:1",
          "network/weight-S:0", "network/TCP-gamma:1e30", "network/crosstraffic:0",
          "debug/clean-atexit:0"})
      sg4::Engine::set_config(setting);
    return only;
  }();
  return *made;
}

class simgrid_links final : public plait::simulate::flow_network {
 public:
  explicit simgrid_links(std::vector<sg4::Host*> hosts) : hosts_(std::move(hosts)) {
    engine().track_vetoed_activities(&stopped_by_);
    sg4::Activity::on_completion_cb([this](const sg4::Activity& one) {
      ended_.push_back(number_of(one));
      // SimGrid returns from `run_until` before its time when an activity is in this set.
      stopped_by_.insert(under_way_.at(ended_.back()).get());
    });
  }

  void restart() override {
    began_s_ = sg4::Engine::get_clock();
    now_ps_ = 0;
  }

  std::int64_t latency_ps(std::uint32_t from, std::uint32_t to) override {
    std::vector<sg4::Link*> links;
    double latency_s = 0;
    hosts_[from]->route_to(hosts_[to], links, &latency_s);
    if (links.empty())
      throw usage_error(fmt::format("--topology: no link leads from host '{}' to '{}'",
                                    hosts_[from]->get_name(), hosts_[to]->get_name()));
    return std::llround(latency_s * 1e12);
  }

  void start(std::uint32_t flow, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
             std::int64_t at_ps) override {
    go_on(at_ps);
    const sg4::CommPtr started = sg4::Comm::sendto_async(hosts_[from], hosts_[to], bytes);
    started->set_data(reinterpret_cast<void*>(std::uintptr_t{flow}));
    under_way_[flow] = started;
  }

  std::optional<ended_flow> first_end(std::int64_t until_ps) override {
    if (ended_.empty()) go_on(until_ps);
    if (ended_.empty()) return std::nullopt;
    const std::uint32_t flow = ended_.front();
    ended_.erase(ended_.begin());
    const sg4::CommPtr done = under_way_.at(flow);
    under_way_.erase(flow);
    if (done->get_state() != sg4::Activity::State::FINISHED) refuse_broken(*done);
    return ended_flow{flow, now_ps_};
  }

 private:
  [[nodiscard]] static std::uint32_t number_of(const sg4::Activity& one) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(one.get_data<void>()));
  }

  [[noreturn]] static void refuse_broken(const sg4::Comm& flow) {
    throw usage_error(
        fmt::format("--topology: bytes never come from host '{}' to '{}': a link is "
                    "switched off or has no rate",
                    flow.get_source()->get_name(), flow.get_destination()->get_name()));
  }

  /// Lets time pass until a flow ends, or until then.
  void go_on(std::int64_t until_ps) {
    if (until_ps <= now_ps_) return;
    stopped_by_.clear();
    if (until_ps == std::numeric_limits<std::int64_t>::max()) {
      engine().run();
      if (ended_.empty()) refuse_broken(*under_way_.begin()->second);
    } else {
      // SimGrid stops at events that end no flow, and up to 10 us before its time.
      const double until_s = began_s_ + 1e-12 * static_cast<double>(until_ps);
      while (ended_.empty() && until_s - sg4::Engine::get_clock() > 1e-12)
        engine().run_until(until_s);
    }
    const std::int64_t clock_ps = std::llround((sg4::Engine::get_clock() - began_s_) * 1e12);
    now_ps_ = ended_.empty() ? until_ps : std::clamp(clock_ps, now_ps_, until_ps);
  }

  const std::vector<sg4::Host*> hosts_;
  double began_s_ = 0;
  std::int64_t now_ps_ = 0;
  std::unordered_map<std::uint32_t, sg4::CommPtr> under_way_;
  std::vector<std::uint32_t> ended_;
  std::set<sg4::Activity*> stopped_by_;
};

/// Returns what SimGrid says on one line.
[[nodiscard]] std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Loads a platform file.
void load(const std::string& words, const std::string& path) {
  try {
    engine().load_platform(path);
    engine().seal_platform();
  } catch (const std::exception& refused) {
    throw usage_error(fmt::format("--topology {}: {}", words, one_line(refused.what())));
  }
}

/// Loads a text as a platform file, which no folder keeps.
void load_text(const std::string& words, const std::string& text) {
  const int file = memfd_create("topology.xml", 0);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw error(fmt::format("--topology {}: there is no memory for its platform file", words));
  load(words, fmt::format("/proc/self/fd/{}", file));
  close(file);
}

/// Adds what each zone is, by the name of its class: not all of SimGrid's can be cast to.
void add_kinds(const sg4::NetZone& zone, std::vector<std::string>& to) {
  const simgrid::kernel::routing::NetZoneImpl& made = *zone.get_impl();
  const std::string_view type = typeid(made).name();
  for (const auto& [part, name] : {std::pair{"FatTreeZone", "fat tree"},
                                   {"DragonflyZone", "dragonfly"},
                                   {"TorusZone", "torus"},
                                   {"StarZone", "star"}})
    if (type.find(part) != std::string_view::npos) to.emplace_back(name);
  for (const sg4::NetZone* const child : zone.get_children()) add_kinds(*child, to);
}

[[nodiscard]] std::string kind_of_platform() {
  std::vector<std::string> kinds;
  add_kinds(*engine().get_netzone_root(), kinds);
  return kinds.size() == 1 ? kinds.front() : "platform";
}

}  // namespace

std::optional<int> prepare_topology(char** /*argv*/, const std::string& words,
                                    std::shared_ptr<topology>& loaded) {
  if (const auto text = platform_of(words)) {
    load_text(words, *text);
  } else if (!std::filesystem::is_regular_file(words) || words.ends_with(".so")) {
    throw usage_error(
        fmt::format("--topology: '{}' is no platform file, and no topology such as star:16, "
                    "torus:4,4, fat_tree:… or dragonfly:…",
                    words));
  } else {
    load(words, std::filesystem::absolute(words));
  }
  std::vector<sg4::Host*> hosts = engine().get_all_hosts();
  // Node 10 is host "node-10", not "node-2"'s neighbour by letters.
  std::ranges::sort(hosts, [](const sg4::Host* a, const sg4::Host* b) {
    return strverscmp(a->get_cname(), b->get_cname()) < 0;
  });
  loaded = std::make_shared<topology>();
  loaded->hosts = static_cast<std::uint32_t>(hosts.size());
  loaded->source =
      fmt::format("SimGrid {}.{}, {} of {} host{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR,
                  kind_of_platform(), hosts.size(), hosts.size() == 1 ? "" : "s");
  loaded->links = std::make_unique<simgrid_links>(std::move(hosts));
  return std::nullopt;
}

}  // namespace plait::network::simulate
