// The module rpw._core: topic by topic, and how the core's exceptions look in Python.
#include <new>

#include "base/pulse.hpp"
#include "bindings/arrays.hpp"
#include "many/pair_values.hpp"
#include "points/point_lengths.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of rpw. Internal: inputs are trusted, see rpw.solve for the checked interface.";
    nb::set_leak_warnings(false);  // a daemon thread that sleeps at exit (lock.hpp) keeps what it was called with
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const rpw::TimeUp& error) {
            PyErr_SetString(PyExc_TimeoutError, error.what());
        } catch (const rpw::TooManyPairs& error) {
            PyErr_SetString(PyExc_MemoryError, error.what());
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, rpw::out_of_memory);
        }
    });
    rpw::python::bind_ground(module);
    rpw::python::bind_question(module);
    rpw::python::bind_pair(module);
    rpw::python::bind_many(module);
}
