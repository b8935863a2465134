// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/requests.hpp"

#include <utility>

namespace plait::attach {

request_data& requests::add(const request_data& made) {
  if (unused_ == nullptr) {
    constexpr std::size_t block = 256;
    blocks_.push_back(std::make_unique<request_data[]>(block));
    for (std::size_t i = 0; i < block; ++i) {
      blocks_.back()[i].next_in_bucket = std::exchange(unused_, &blocks_.back()[i]);
    }
  }
  if (++known_ > buckets_.size()) widen();
  request_data& one = *std::exchange(unused_, unused_->next_in_bucket);
  one = made;
  append(one);
  return one;
}

void requests::append(request_data& one) noexcept {
  one.next_in_bucket = nullptr;
  request_data** last = &bucket(one.handle);
  while (*last != nullptr) last = &(*last)->next_in_bucket;
  *last = &one;
}

void requests::widen() {
  std::vector<request_data*> old(2 * buckets_.size(), nullptr);
  old.swap(buckets_);
  for (request_data* chain : old) {
    while (chain != nullptr) append(*std::exchange(chain, chain->next_in_bucket));
  }
}

void requests::remove(request_data& one) noexcept {
  stop(one);
  request_data** link = &bucket(one.handle);
  while (*link != &one) link = &(*link)->next_in_bucket;
  *link = one.next_in_bucket;
  one.in.reset();
  one.next_in_bucket = std::exchange(unused_, &one);
  --known_;
}

void requests::start(request_data& one) noexcept {
  if (std::exchange(one.is_started, true)) return;
  one.is_complete = false;
  one.newer = nullptr;
  one.older = newest_;
  (newest_ == nullptr ? oldest_ : newest_->newer) = &one;
  newest_ = &one;
  if (one.has_user_operation) ++user_operations_;
}

void requests::stop(request_data& one) noexcept {
  if (!std::exchange(one.is_started, false)) return;
  (one.older == nullptr ? oldest_ : one.older->newer) = one.newer;
  (one.newer == nullptr ? newest_ : one.newer->older) = one.older;
  if (one.has_user_operation) --user_operations_;
}

}  // namespace plait::attach
