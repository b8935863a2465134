// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/algorithm_choice.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>

#include <plait/core/error.hpp>
#include <plait/model/parameters_file.hpp>

namespace plait {
namespace {

// What rank 0 tells the others: nothing, an 'n' and the parameters, or an 'e' and what is wrong.
static_assert(std::is_trivially_copyable_v<model::parameters>);

[[nodiscard]] std::string packed(const model::parameters& network) {
  std::string text(1 + sizeof network, 'n');
  std::memcpy(text.data() + 1, &network, sizeof network);
  return text;
}

[[nodiscard]] std::string own_answer(const std::optional<model::parameters>& given) {
  const char* const file = std::getenv("PLAIT_NETWORK");
  try {
    if (file != nullptr && *file != '\0') return packed(model::read_parameters(file));
    if (!given.has_value()) return "";
    model::validate(*given);
    return packed(*given);
  } catch (const std::exception& refused) {  // the others wait for an answer
    const bool of_file = file != nullptr && *file != '\0';
    return std::string(of_file ? "ePLAIT_NETWORK: " : "eruntime_options::network: ") +
           refused.what();
  }
}

}  // namespace

std::optional<model::parameters> agreed_network(environment& env,
                                                const std::optional<model::parameters>& given) {
  const std::string answer = env.broadcast(env.rank() == 0 ? own_answer(given) : std::string());
  if (answer.empty()) return std::nullopt;
  if (answer[0] == 'e') throw usage_error(answer.substr(1));
  model::parameters network;
  std::memcpy(&network, answer.data() + 1, sizeof network);
  return network;
}

}  // namespace plait
