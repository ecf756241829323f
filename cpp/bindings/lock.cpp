// See lock.hpp. Compiled without exceptions, since pthread_cleanup_push waits for an unwinding where there are some.
// Without them it stops the end of the thread here, before any frame of ours or nanobind's is reached.
#include <Python.h>

#ifndef _WIN32
#include <pthread.h>
#include <unistd.h>
#endif

namespace rpw::python {

namespace {

#ifdef _WIN32  // there a thread ends without unwinding
template <class Work>
void or_sleep(const Work& work) {
    work();
}
#else
#ifdef __EXCEPTIONS
#error "lock.cpp has to be compiled with -fno-exceptions"
#endif

void sleep_for_good(void*) {
    for (;;) pause();
}

// What would end this thread, ends in a sleep.
template <class Work>
void or_sleep(const Work& work) {
    pthread_cleanup_push(sleep_for_good, nullptr);
    work();
    pthread_cleanup_pop(0);
}
#endif

}  // namespace

PyGILState_STATE ensure_lock() {
    PyGILState_STATE state{};
    or_sleep([&state] { state = PyGILState_Ensure(); });
    return state;
}

void take_lock_back(PyThreadState* state) {
    or_sleep([state] { PyEval_RestoreThread(state); });
}

int check_signals() {
    int error = 0;
    or_sleep([&error] { error = PyErr_CheckSignals(); });
    return error;
}

bool call_function(PyObject* function, PyObject* arguments) {
    bool is_answered = false;
    or_sleep([&] {
        PyObject* answer = PyObject_CallObject(function, arguments);
        is_answered = answer != nullptr;
        Py_XDECREF(answer);
    });
    return is_answered;
}

}  // namespace rpw::python
