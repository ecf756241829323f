// The module rpw._jax_ffi: a door from XLA to a function of Python, through jax's typed FFI. A callback of jax makes
// arrays of its own before it calls; here the function reads and writes the buffers of XLA themselves.
//
// Built only where jax's headers are found, and needs nothing of the core.
#include <nanobind/nanobind.h>
#include <xla/ffi/api/ffi.h>

#include "bindings/lock.hpp"

namespace nb = nanobind;
namespace py = rpw::python;
namespace ffi = xla::ffi;

namespace {

PyObject* answer = nullptr;  // what Python registers lives as long as the process

// Memory as Python sees it, and its shape.
nb::tuple seen(const ffi::AnyBuffer& buffer, int flags) {
    static char nothing = 0;
    auto* data = static_cast<char*>(buffer.untyped_data());
    PyObject* memory =
        PyMemoryView_FromMemory(data == nullptr ? &nothing : data, static_cast<Py_ssize_t>(buffer.size_bytes()), flags);
    if (memory == nullptr) throw nb::python_error();
    nb::list shape;
    for (const auto length : buffer.dimensions()) shape.append(length);
    return nb::make_tuple(nb::steal(memory), shape);
}

// The interpreter's lock, on a thread that is XLA's.
struct Held {
    const PyGILState_STATE state = py::ensure_lock();
    ~Held() { PyGILState_Release(state); }
};

void call(std::string_view settings, ffi::RemainingArgs arguments, ffi::RemainingRets results) {
    nb::list read, written;
    for (std::size_t s = 0; s < arguments.size(); ++s) read.append(seen(*arguments.get<ffi::AnyBuffer>(s), PyBUF_READ));
    for (std::size_t s = 0; s < results.size(); ++s) {
        written.append(seen(**results.get<ffi::AnyBuffer>(s), PyBUF_WRITE));
    }
    py::call(nb::handle(answer), nb::str(settings.data(), settings.size()), read, written);
}

ffi::Error pass_on(std::string_view settings, ffi::RemainingArgs arguments, ffi::RemainingRets results) {
    const Held held;
    try {
        call(settings, arguments, results);
    } catch (const nb::python_error& error) {
        const auto text = nb::str(error.value());
        const auto name = nb::cast<nb::str>(error.type().attr("__name__"));
        return ffi::Error(ffi::ErrorCode::kInvalidArgument, std::string(name.c_str()) + ": " + text.c_str());
    }
    return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(rpw_pass_on, pass_on,
                              ffi::Ffi::Bind().Attr<std::string_view>("settings").RemainingArgs().RemainingRets());

}  // namespace

NB_MODULE(_jax_ffi, module) {
    module.doc() = "A door from XLA to a function of Python. Internal: see rpw.jax.";
    module.attr("api_version") = nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
    module.def(
        "handler",
        [](nb::object function) {
            answer = function.release().ptr();
            return nb::capsule(reinterpret_cast<void*>(rpw_pass_on));
        },
        nb::arg("function"),
        "A capsule for jax.ffi.register_ffi_target. The function gets the settings, and lists of (memory, shape): what "
        "it "
        "reads, and what it fills.");
}
