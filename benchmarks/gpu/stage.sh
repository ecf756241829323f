#!/bin/sh
# Puts all that the tests and benchmarks of a GPU need into build/gpu, for a machine that has Python 3.12 or later, torch
# and a GPU, and can reach no package index:
#
#     benchmarks/gpu/stage.sh [DATA]      (PYTHON=python3.12 builds the wheel)
#
# DATA is a folder with mnist.npz and cifar10.npz, which bench_gpu.py needs, and nothing else. There, with G the folder
# build/gpu by its whole path:
#
#     cd $G/tests && RPW_REQUIRE=gpu PYTHONPATH=$G/site:$G/tools python3 -m pytest -q -p no:cacheprovider -k OnTheGpu many/*gpu.py many/*cuda.py gradients/*gpu.py
#     PYTHONPATH=$G/site python3 $G/bench/loss.py
#     PYTHONPATH=$G/site python3 $G/bench/bench_gpu.py --data $G/data --peers $G/peers
set -eu
cd "$(dirname "$0")/../.."
out=build/gpu
env=build/stage
if [ ! -x $env/bin/python ]; then
    "${PYTHON:-python3.12}" -m venv $env
    $env/bin/python .ci/requirements.py build-system > $env/build-system.txt
    $env/bin/python -m pip install -q numpy ninja cmake -r $env/build-system.txt
fi
rm -rf $out/site $out/tests $out/bench $out/data $out/peers $out/wheels
mkdir -p $out/site $out/tests $out/bench $out/data $out/peers
# The library, with one extension module for all Pythons from 3.12 on.
$env/bin/python -m pip wheel -q --no-deps --no-build-isolation --config-settings='build-dir=build/{wheel_tag}' -w $out/wheels .
$env/bin/python -m zipfile -e $out/wheels/*.whl $out/site
[ -d $out/tools ] || $env/bin/python -m pip install -q --target $out/tools pytest pytest-xdist hypothesis
cp -r tests/*.py tests/many tests/gradients $out/tests/
cp benchmarks/gpu/*.py $out/bench/
finish() {
    rm -rf $out/wheels
    find $out -name __pycache__ -prune -exec rm -rf {} +
    du -sh $out
}
if [ -z "${1:-}" ]; then
    finish
    exit
fi
# Peers: one is pure Python (Triton), of the other one file is enough; nothing is compiled.
$env/bin/python -m pip download -q --no-deps --no-binary torch-linear-assignment -d $out/wheels torch-linear-assignment
$env/bin/python -m pip download -q --no-deps -d $out/wheels PyCoOT
tar xzf $out/wheels/torch_linear_assignment-*.tar.gz -C $out/wheels
cp -r $out/wheels/torch_linear_assignment-*/torch_linear_assignment $out/peers/
$env/bin/python -c "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('cot/transport.py').decode())" \
    $out/wheels/PyCoOT-*.whl > $out/peers/cot_transport.py
# A part of the data.
$env/bin/python - "$1" $out/data <<'PYTHON'
import sys
import numpy as np
for name, count in (("mnist", 2100), ("cifar10", 200)):
    images = np.load(f"{sys.argv[1]}/{name}.npz", allow_pickle=False)["images"][:count]
    np.savez_compressed(f"{sys.argv[2]}/{name}.npz", images=images)
PYTHON
finish
