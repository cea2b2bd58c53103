// An operator new that fails when it is told to. Preloaded, it stands before that of the C++ library,
// so that the compiled core is tested as it is, without a build of its own.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> met{0}, first{0}, last{0}; // those with these numbers fail, if the first is above 0

void *allocate(std::size_t size, std::size_t alignment) {
    if (first > 0) {
        const long number = ++met;
        if (first <= number && number <= last) throw std::bad_alloc();
    }
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    if (void *made = std::aligned_alloc(alignment, whole ? whole : alignment)) return made;
    throw std::bad_alloc();
}

void *try_to(std::size_t size, std::size_t alignment) noexcept {
    try {
        return allocate(size, alignment);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

constexpr std::size_t USUAL = alignof(std::max_align_t);

} // namespace

// From now on the allocations numbered from ... to fail; (0, 0) ends that. Returns how many were met before.
extern "C" long fail_allocations(long from, long to) {
    const long before = met.exchange(0);
    last = to;
    first = from;
    return before;
}

void *operator new(std::size_t size) { return allocate(size, USUAL); }
void *operator new[](std::size_t size) { return allocate(size, USUAL); }
void *operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, std::size_t(alignment)); }
void *operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, std::size_t(alignment)); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return try_to(size, USUAL); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return try_to(size, USUAL); }
void operator delete(void *pointer) noexcept { std::free(pointer); }
void operator delete[](void *pointer) noexcept { std::free(pointer); }
void operator delete(void *pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete[](void *pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void *pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void *pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void *pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void *pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
