"""RPW and Wasserstein distances as losses for torch: exact values with exact gradients (needs ``pip install torch``).

>>> import torch, rpw.torch
>>> x = torch.tensor([0.0, 0.0, 9.0], dtype=torch.float64, requires_grad=True)
>>> y = torch.full((3,), 0.1, dtype=torch.float64)
>>> loss = rpw.torch.distance(x, y, p=1, diameter=1)
>>> loss.backward()
>>> round(loss.item(), 4), x.grad.numpy().round(4).tolist()
(0.3064, [-0.0337, -0.0337, 0.0027])
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from numbers import Real
from typing import TYPE_CHECKING, Any

from rpw.base.check import as_choice
from rpw.base.extras import missing_extra
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.many.backends.cuda.driver import NoGpuError, device
from rpw.many.gradients.asked import NO_SECOND_DERIVATIVES, as_asked, as_price
from rpw.many.gradients.derivatives import plan_size
from rpw.many.gradients.functions import gradients_of_cost, gradients_of_points
from rpw.many.gradients.given_pairs import ArrayLibrary, as_pairs

try:
    import torch
    from torch.nn.functional import pad
except ImportError as error:
    raise missing_extra("rpw.torch needs", "torch", because=error) from error

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["RPWLoss", "distance", "wasserstein"]


@documented
def distance(
    x: Tensor | Sequence[Tensor] | None = None,
    y: Tensor | Sequence[Tensor] | None = None,
    a: Tensor | Sequence[Tensor] | None = None,
    b: Tensor | Sequence[Tensor] | None = None,
    *,
    cost: Tensor | None = None,
    p: float = 2,
    k: float | Tensor = 1,
    metric: str = "euclidean",
    diameter: float | None = None,
    tol: float = 0.0,
    time_limit: None = None,
    n_threads: int | None = None,
) -> Tensor:
    """Compute the (p,k)-RPW distance of torch tensors, with gradients in x, y, a, b, cost and k.

    The value is the same as from `rpw.distance`. Second derivatives are refused.

    Parameters
    ----------
    %(tensors tensor)s
    %(finite_p)s
    %(k_of_each tensor)s
    %(metric_with_gradient)s
    %(diameter)s
    %(no_early_stop)s
    %(threads_of_batches)s

    Returns
    -------
    torch.Tensor
        A scalar, or shape (B,) for a batch, with the type and on the device of the inputs. It is computed in float64:
        on that device if it is an NVIDIA GPU, and on the CPU if not.

    Warns
    -----
    %(warns_of_small_diameter)s

    See Also
    --------
    rpw.torch.RPWLoss : The same as a module.

    Notes
    -----
    The page "Gradients" says in which cases the derivative is not unique.

    Examples
    --------
    The third point is an outlier. Its gradient is small:

    >>> import torch, rpw.torch
    >>> x = torch.tensor([0.0, 0.0, 9.0], dtype=torch.float64, requires_grad=True)
    >>> y = torch.full((3,), 0.1, dtype=torch.float64)
    >>> loss = rpw.torch.distance(x, y, p=1, diameter=1)
    >>> loss.backward()
    >>> round(loss.item(), 4), x.grad.numpy().round(4).tolist()
    (0.3064, [-0.0337, -0.0337, 0.0027])
    """
    _check_whole(tol, time_limit)
    return _distances("rpw", (x, y), (a, b), cost, p, k, metric, diameter, None, n_threads)


@documented
def wasserstein(
    x: Tensor | Sequence[Tensor] | None = None,
    y: Tensor | Sequence[Tensor] | None = None,
    a: Tensor | Sequence[Tensor] | None = None,
    b: Tensor | Sequence[Tensor] | None = None,
    *,
    cost: Tensor | None = None,
    p: float = 2,
    mass: float = 1.0,
    metric: str = "euclidean",
    tol: float = 0.0,
    time_limit: None = None,
    n_threads: int | None = None,
) -> Tensor:
    """Compute W_p of torch tensors, or the least cost of moving a share of the mass, with gradients.

    Parameters
    ----------
    %(tensors tensor)s
    %(finite_p)s
    %(mass_of_loss)s
    %(metric_with_gradient)s
    %(no_early_stop)s
    %(threads_of_batches)s

    Returns
    -------
    torch.Tensor
        A scalar, or shape (B,) for a batch, as from `rpw.torch.distance`.

    Examples
    --------
    >>> import torch, rpw.torch
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> rpw.torch.wasserstein(x, torch.tensor([1.0, 3.0]), p=1).backward()
    >>> x.grad.tolist()
    [-0.5, -0.5]
    """
    _check_whole(tol, time_limit)
    share = _as_number(mass, "mass")
    name, share = ("wasserstein", None) if share == 1 else ("partial_wasserstein", share)
    return _distances(name, (x, y), (a, b), cost, p, 1.0, metric, None, share, n_threads)


@documented
class RPWLoss(torch.nn.Module):  # type: ignore[misc]
    """`rpw.torch.distance` as a module: the mean or the sum over a batch, or each distance.

    Parameters
    ----------
    %(finite_p)s
    %(k_of_each tensor)s
    reduction : {"mean", "sum", "none"}, default "mean"
        What to do with the distances of a batch; ``"none"`` returns each.
    %(metric_with_gradient)s
    %(diameter)s
    %(threads_of_batches)s

    Warns
    -----
    %(warns_of_small_diameter)s

    Examples
    --------
    Four pairs. In each, the first set has 3 points, the second has 5, and they are √18 apart:

    >>> import torch, rpw.torch
    >>> loss = rpw.torch.RPWLoss(p=1, diameter=1)
    >>> round(loss(torch.zeros(4, 3, 2), torch.full((4, 5, 2), 3.0)).item(), 3)
    0.809
    """

    def __init__(
        self,
        p: float = 2,
        k: float | Tensor = 1,
        *,
        reduction: str = "mean",
        metric: str = "euclidean",
        diameter: float | None = None,
        n_threads: int | None = None,
    ) -> None:
        super().__init__()
        asked = {"p": p, "metric": metric, "diameter": diameter, "mass": None, "tol": 0, "time_limit": None}
        as_asked("rpw", **asked, n_threads=as_n_threads(n_threads))
        if not isinstance(k, torch.Tensor):  # whose entries may change until they are used
            as_price(k)
        self.p, self.k, self.metric, self.diameter, self.n_threads = p, k, metric, diameter, n_threads
        self.reduction = as_choice(reduction, "reduction", ("mean", "sum", "none"))

    @documented
    def forward(
        self,
        x: Tensor | Sequence[Tensor] | None = None,
        y: Tensor | Sequence[Tensor] | None = None,
        a: Tensor | Sequence[Tensor] | None = None,
        b: Tensor | Sequence[Tensor] | None = None,
        *,
        cost: Tensor | None = None,
    ) -> Tensor:
        """Compute the loss of one pair or of a batch.

        Parameters
        ----------
        %(tensors tensor)s

        Returns
        -------
        torch.Tensor
            A scalar; with ``reduction="none"``, shape (B,) for a batch.

        Examples
        --------
        >>> import torch, rpw.torch
        >>> loss = rpw.torch.RPWLoss(p=1, diameter=1, reduction="none")
        >>> loss(torch.zeros(2, 3, 2), torch.zeros(2, 5, 2))
        tensor([0., 0.])
        """
        options: dict[str, Any] = {"metric": self.metric, "diameter": self.diameter, "n_threads": self.n_threads}
        each = distance(x, y, a, b, cost=cost, p=self.p, k=self.k, **options)
        return each if self.reduction == "none" else each.sum() if self.reduction == "sum" else each.mean()

    def extra_repr(self) -> str:
        """Return the parameters, for ``repr``.

        Returns
        -------
        str
            The parameters.

        Examples
        --------
        >>> import rpw.torch
        >>> rpw.torch.RPWLoss(p=1, diameter=1)
        RPWLoss(p=1, k=1, reduction='mean', metric='euclidean', diameter=1)
        """
        k = self.k.tolist() if isinstance(self.k, torch.Tensor) else self.k
        return f"p={self.p}, k={k}, reduction={self.reduction!r}, metric={self.metric!r}, diameter={self.diameter}"


# ---------------------------------------------------------------- what users pass becomes arguments of operators


def _check_whole(tol: Any, time_limit: Any) -> None:
    """Raise for what `as_asked` would refuse too: operators do not get these two."""
    if tol != 0 or time_limit is not None:
        as_asked("rpw", p=2, metric="euclidean", diameter=1, mass=None, tol=tol, time_limit=time_limit, n_threads=1)


def _distances(
    name: str,
    points: tuple[Any, Any],
    weights: tuple[Any, Any],
    cost: Any,
    p: Any,
    k: Any,
    metric: Any,
    diameter: Any,
    mass: float | None,
    n_threads: int | None,
) -> Tensor:
    is_number = not isinstance(k, torch.Tensor)
    given = as_pairs(points, weights, cost, None if is_number else k, _LIBRARY)
    x = given.x
    # Numbers stay float64, whatever the type of the points.
    price = x.new_full((len(x),), _as_number(k, "k"), dtype=torch.float64) if is_number else given.k.to(x.device)
    _check_one_device(x=x, y=given.y, a=given.a, b=given.b, k=price)
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name here, got {metric!r}: compute other distances and pass cost=")
    span = None if diameter is None else _as_number(diameter, "diameter")
    numbers = (_as_number(p, "p"), span, mass)
    threads = 0 if n_threads is None else _as_number(n_threads, "n_threads")
    if n_threads is not None and (threads < 1 or threads != int(threads)):
        raise ValueError(f"n_threads must be a whole number of at least 1, got {n_threads!r}")
    if torch.compiler.is_compiling() and _gradient_levels() > 1:
        _refuse()
    # A view of each: a compiler sees that it wants a gradient under `torch.func.grad`, which it does not see of an
    # argument itself (pytorch #193279).
    tensors = [None if each is None else each.view_as(each) for each in (x, given.y, given.a, given.b, price)]
    found = _Distances.apply(*tensors, name, metric, *numbers, given.sizes_x, given.sizes_y, int(threads))[0]
    return found if given.is_batch else found[0]


def _as_number(value: Any, name: str) -> Any:
    """A number that operators take."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Real)):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)


def _as_real(value: Any, name: str) -> Tensor:
    """A tensor of floats: whole numbers become float64."""
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{name} must be a torch tensor, got {type(value).__name__}: torch.as_tensor makes one")
    if value.is_complex() or value.layout != torch.strided:
        raise ValueError(f"{name} must be a dense tensor of real numbers, got {value.dtype} in {value.layout}")
    if value.is_floating_point() and value.dtype not in _FLOATS:
        raise ValueError(f"{name} has the type {value.dtype}: pass {name}.float(), or {name}.double() for all digits")
    return value if value.is_floating_point() else value.to(torch.float64)


def _filled_up(tensors: list[Tensor]) -> Tensor:
    most = max(len(each) for each in tensors)  # torch's pad_sequence knows no vmap
    return torch.stack([pad(each, (0, 0) * (each.ndim - 1) + (0, most - len(each))) for each in tensors])


_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = ArrayLibrary(
    as_real=_as_real,
    filled_up=_filled_up,
    repeated=lambda tensor, count: tensor.expand(count, *tensor.shape),
)


def _check_one_device(**tensors: Tensor | None) -> None:
    devices = {name: str(tensor.device) for name, tensor in tensors.items() if tensor is not None}
    if len(set(devices.values())) > 1:
        raise ValueError(f"all tensors must lie on one device, got {devices}")


# ---------------------------------------------------------------- the operators

# Without y, x holds costs; then the second and third output are the derivatives in some entries, and their places.
_SCHEMA = (
    "(Tensor x, Tensor? y, Tensor? a, Tensor? b, Tensor k, str name, str metric, float p, float? diameter, "
    "float? mass, SymInt[] sizes_x, SymInt[] sizes_y, int n_threads) "
    "-> (Tensor value, Tensor of_x, Tensor of_y, Tensor of_a, Tensor of_b, Tensor of_k)"
)
_TENSORS, _OTHERS = 5, 8  # arguments


def _solve(
    x: Any, y: Any, a: Any, b: Any, k: Any, name: str, metric: str, p: float, diameter: Any, mass: Any, *others: Any
) -> tuple[Any, ...]:
    """The distances, and all that their gradient needs: nothing is solved twice."""
    sizes_x, sizes_y, n_threads = others
    threads = as_n_threads(n_threads or None)
    asked = as_asked(name, p=p, metric=metric, diameter=diameter, mass=mass, tol=0, time_limit=None, n_threads=threads)
    first, second, *rest = (None if t is None else t.detach().to(torch.float64) for t in (x, y, a, b, k))
    gpu = _gpu_of(x)
    with torch.cuda.device_of(x):  # what is current when it is done is current again
        if second is None:
            found = gradients_of_cost(first, *rest, asked=asked, gpu=gpu)
        else:
            found = gradients_of_points(first, second, *rest, asked=asked, sizes=(sizes_x, sizes_y), gpu=gpu)
    grounds: Any = found.points if found.points is not None else (found.slopes, found.places)
    parts = (found.value, *grounds, *found.weights, found.k)
    return tuple(
        torch.as_tensor(part).to(like.device, like.dtype) if like.numel() else like
        for part, like in zip(parts, _shaped(x, y, a, b, k), strict=True)
    )


def _gpu_of(tensor: Any) -> Any:
    """The NVIDIA GPU on which a tensor lies, if it does: those of others call themselves CUDA too."""
    if not tensor.is_cuda:
        return None
    try:
        return device(tensor.device.index)
    except NoGpuError:
        return None


def _shaped(x: Any, y: Any, a: Any, b: Any, k: Any, *_: Any) -> tuple[Any, ...]:
    """Tensors of the types and shapes that come out."""
    dtype = x.dtype
    for other in (y, a, b):
        dtype = dtype if other is None else torch.promote_types(dtype, other.dtype)
    pairs = x.shape[0]
    if y is None:
        size = plan_size(x.shape[1], x.shape[2])
        grounds = x.new_empty(pairs, size), x.new_empty(pairs, size, dtype=torch.int64)
    else:
        grounds = x.new_empty(x.shape), y.new_empty(y.shape)
    weights = (x.new_empty(pairs, 0) if each is None else each.new_empty(each.shape) for each in (a, b))
    return x.new_empty(pairs, dtype=dtype), *grounds, *weights, k.new_empty(pairs)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
    ctx.save_for_backward(*inputs[:_TENSORS], *output[1:])
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)


def _pull_back(ctx: Any, gradient: Any, *_: Any) -> tuple[Any, ...]:
    """The incoming gradient times the derivatives that the forward pass has left."""
    if gradient is None:
        return (None,) * (_TENSORS + _OTHERS)
    saved = ctx.saved_tensors  # asked for once: checkpoints compute them again
    inputs, slopes = saved[:_TENSORS], list(saved[_TENSORS:])
    needs = ctx.needs_input_grad[:_TENSORS]
    if inputs[1] is None and needs[0]:
        cost, (of_entries, places) = inputs[0], slopes[:2]
        slopes[0] = cost.new_zeros(len(cost), cost.shape[1] * cost.shape[2]).scatter_add(1, places, of_entries)
        slopes[0] = slopes[0].reshape(cost.shape)
    pulled = (
        _Times.apply(gradient, slope, *inputs, which) if is_needed else None
        for which, (slope, is_needed) in enumerate(zip(slopes, needs, strict=True))
    )
    return *pulled, *(None,) * _OTHERS


def _times(gradient: Any, slope: Any, *inputs_and_which: Any) -> Any:
    """For one of the inputs. It is given all of them: the slope depends on each, and autograd must know that."""
    *inputs, which = inputs_and_which
    return (gradient.reshape(-1, *(1,) * (slope.ndim - 1)) * slope).to(inputs[which].dtype)


def _shaped_times(gradient: Any, slope: Any, *inputs_and_which: Any) -> Any:
    *inputs, which = inputs_and_which
    return inputs[which].new_empty(slope.shape)


def _remember_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    pass


def _refuse(*_: Any) -> None:
    raise RuntimeError(NO_SECOND_DERIVATIVES)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _gradient_levels() -> int:
    """How many `torch.func.grad` are around what is being compiled.

    Where there are two, the compiler takes the backward of any function that has its own for a constant, and what is
    refused elsewhere would be silently 0.
    """
    try:
        from torch._C._functorch import TransformType
        from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters
    except ImportError:  # torch does not promise these
        return 0
    return sum(each.key() == TransformType.Grad for each in retrieve_all_functorch_interpreters())


def _flat(info: Any, dims: tuple[Any, ...], tensors: Sequence[Any]) -> list[Any]:
    """A batch of batches as one batch."""
    moved = (
        None if each is None else each.expand(info.batch_size, *each.shape) if dim is None else each.movedim(dim, 0)
        for each, dim in zip(tensors, dims, strict=True)
    )
    return [None if each is None else each.reshape(-1, *each.shape[2:]) for each in moved]


def _split(info: Any, tensor: Any) -> Any:
    return tensor.reshape(info.batch_size, tensor.shape[0] // info.batch_size, *tensor.shape[1:])


def _mapped(function: Any) -> Any:
    """The rule by which `vmap` asks for all pairs at once."""

    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Any, Any]:
        if info.batch_size == 0:
            raise ValueError("vmap got a batch of no pairs, and at least one is needed")
        others = [each * info.batch_size if isinstance(each, (list, tuple)) else each for each in args[_TENSORS:]]
        out = function(*_flat(info, in_dims[:_TENSORS], args[:_TENSORS]), *others)
        return tuple(_split(info, each) for each in out), (0,) * len(out)

    return rule


def _mapped_times(function: Any) -> Any:
    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Any, Any]:
        return _split(info, function(*_flat(info, in_dims[:2], args[:2]), *args[2:])), 0  # no input is computed with

    return rule


def _tags() -> dict[str, Any]:
    """On a GPU it waits for answers, which no graph of CUDA can record; torch 2.7 has no word for that."""
    takes_tags = "tags" in signature(torch.library.custom_op).parameters
    return {"tags": [torch.Tag.cudagraph_unsafe]} if takes_tags and hasattr(torch.Tag, "cudagraph_unsafe") else {}


def _registered(name: str, schema: str, kernel: Any, fake: Any, save: Any, pull_back: Any, mapped: Any) -> Any:
    operator = torch.library.custom_op(name, kernel, mutates_args=(), schema=schema, **_tags())
    operator.register_fake(fake)
    operator.register_autograd(pull_back, setup_context=save)
    operator.register_vmap(mapped(operator))
    return operator


_solve_op = _registered("rpw::distances", _SCHEMA, _solve, _shaped, _save, _pull_back, _mapped)
_times_op = _registered(
    "rpw::times",
    "(Tensor gradient, Tensor slope, Tensor x, Tensor? y, Tensor? a, Tensor? b, Tensor k, int which) -> Tensor",
    _times,
    _shaped_times,
    _remember_nothing,
    _refuse,
    _mapped_times,
)
for _device in ("cpu", "cuda"):  # half floats would spoil the value: float32, as torch does for its other losses
    _solve_op.register_autocast(_device, torch.float32)


# The operators have rules for autograd, yet `torch.func.grad` needs them in this form too: the class that torch makes
# of them has no setup_context (pytorch #168393). Forward mode, which the operators would ignore, is refused here.


class _Distances(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(
        x: Any,
        y: Any,
        a: Any,
        b: Any,
        k: Any,
        name: str,
        metric: str,
        p: float,
        diameter: float | None,
        mass: float | None,
        sizes_x: list[int],
        sizes_y: list[int],
        n_threads: int,
    ) -> Any:
        return _solve_op(x, y, a, b, k, name, metric, p, diameter, mass, sizes_x, sizes_y, n_threads)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        _save(ctx, inputs, output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _pull_back(ctx, *gradients)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        return _mapped(_Distances.apply)(info, in_dims, *args)


class _Times(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(gradient: Any, slope: Any, x: Any, y: Any, a: Any, b: Any, k: Any, which: int) -> Any:
        return _times_op(gradient, slope, x, y, a, b, k, which)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _refuse()

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        return _mapped_times(_Times.apply)(info, in_dims, *args)
