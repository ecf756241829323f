// Runs many independent pieces of work on threads of its own; the calling thread stays free to report and to interrupt.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/pulse.hpp"
#include "many/batch.hpp"

namespace rpw {

struct Cancelled : std::exception {};

// What std::jthread would be: the C++ library of Xcode has none yet.
struct JoinedThread : std::thread {
    using std::thread::thread;
    JoinedThread(JoinedThread&&) = default;
    ~JoinedThread() {
        if (joinable()) join();
    }
};

// Calls body(worker, item, pulse) for every item below `count`, each once, in no fixed order. `report` is called by the
// calling thread about every 50 ms with the number of finished items; if it throws, the work is cancelled, the threads
// are joined, and the exception goes on. So does the first exception of a body, and TimeUp after so many seconds, once
// the last report is made.
template <class Body>
void for_each_parallel(std::size_t count, int threads, double seconds, const Body& body, const Report& report) {
    std::atomic<std::size_t> next{0}, done{0};
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::condition_variable finished;
    int running = threads;
    std::exception_ptr failure;

    const auto work = [&](int worker) {
        Pulse pulse(
            [&] {
                if (cancelled.load(std::memory_order_relaxed)) throw Cancelled();
            },
            seconds);
        try {
            for (std::size_t item; !cancelled && (item = next++) < count; ++done) body(worker, item, pulse);
        } catch (const Cancelled&) {
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            cancelled = true;
        }
        const std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };

    std::vector<JoinedThread> pool;
    pool.reserve(threads);
    for (int worker = 0; worker < threads; ++worker) {
        try {
            pool.emplace_back(work, worker);
        } catch (const std::system_error&) {  // no room for one more stack: those that run do the work
            if (pool.empty()) throw std::bad_alloc();
            const std::lock_guard lock(mutex);
            running -= threads - worker;
            break;
        }
    }
    std::exception_ptr interruption;
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
        lock.unlock();
        try {
            if (!interruption) report(done);
        } catch (...) {
            interruption = std::current_exception();
            cancelled = true;
        }
        lock.lock();
    }
    lock.unlock();
    pool.clear();
    if (interruption) std::rethrow_exception(interruption);
    report(done);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rpw
