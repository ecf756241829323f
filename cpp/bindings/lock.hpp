// The interpreter's lock: let go while the core works, taken back to call Python.
//
// Up to Python 3.13, a thread that wants the lock of an interpreter that is finalising is ended by pthread_exit. glibc
// does that by unwinding the stack, and nanobind's functions are noexcept, so the whole process would be aborted. Here
// such a thread sleeps until the process ends, which is what Python itself does since 3.14.
#pragma once

#include <nanobind/nanobind.h>

namespace rpw::python {

namespace nb = nanobind;

// What may end a thread (lock.cpp): each of these returns, or sleeps.
PyGILState_STATE ensure_lock();
void take_lock_back(PyThreadState* state);
int check_signals();
bool call_function(PyObject* function, PyObject* arguments);

// While it lives, other threads may run Python.
class Unlocked {
public:
    Unlocked() { state_ = PyEval_SaveThread(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() { take_lock_back(state_); }

private:
    friend class Locked;
    // A thread has one state. To find it by PyGILState_Ensure is not safe once the interpreter is gone.
    static inline thread_local PyThreadState* state_ = nullptr;
};

// Within the life of an Unlocked of this thread: Python may be called.
class Locked {
public:
    Locked() { take_lock_back(Unlocked::state_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { Unlocked::state_ = PyEval_SaveThread(); }
};

// Calls a function of Python's, whose result nobody needs.
template <class... Arguments>
void call(nb::handle function, const Arguments&... arguments) {
    if (!call_function(function.ptr(), nb::make_tuple(arguments...).ptr())) throw nb::python_error();
}

// Lets Ctrl-C through: runs pending signal handlers and turns what they raise into an exception.
inline void poll_signals() {
    const Locked locked;
    if (check_signals() != 0) throw nb::python_error();
}

}  // namespace rpw::python
