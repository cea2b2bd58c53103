// Work shared among threads so that the result never depends on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

namespace weft {

inline thread_local bool ready = false;

// Makes a thread able to throw; false if there is no memory for that. Variables of a thread, those of exceptions
// among them, are allocated when they are first used, and where that fails the process ends: "cannot allocate
// memory for thread-local data". So more than they take is asked for first, in a way that can be refused.
inline bool get_ready() {
    void *volatile room = std::malloc(4096);
    if (!room) return false;
    std::free(room);
    return ready = std::uncaught_exceptions() >= 0;
}

// Calls work(i) once for each i in [0, count), on at most `threads` threads, in any order. Each call
// must write only what belongs to i; then the result is the same for any number of threads.
template <class Work> void parallel_for(std::size_t count, int threads, Work &&work) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) work(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    auto loop = [&] {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < count && !failed;) work(i);
        } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        const std::size_t most = std::min<std::size_t>(threads, count) - 1;
        others.reserve(most);
        while (others.size() < most)
            others.emplace_back([&] {
                if (get_ready()) loop();
            });
    } catch (const std::exception &) { // no more threads, or memory for them: fewer do the same work
    }
    loop();
    for (std::thread &other : others) other.join();
    if (error) std::rethrow_exception(error);
}

} // namespace weft
