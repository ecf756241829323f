#!/bin/sh
# Puts all that paper/gpu/evidence.py needs into build/evidence (or the folder CARRY), for a machine that has Python
# 3.12 or later, numpy, scipy and a GPU, and can reach no package index:
#
#     paper/gpu/evidence.sh DATA [RESULTS]       (PYTHON=python3.12 builds the wheel)
#
# DATA holds mnist.npz, cifar10.npz and corel5k.npz. RESULTS holds what the tar files of earlier runs unpacked to: parts
# that are whole there are not computed again, and of the others what is finished travels along. There, for 540 seconds:
#
#     build/evidence/run.sh OUT 540 [further options of evidence.py]
set -eu
cd "$(dirname "$0")/../.."
out=${CARRY:-build/evidence}
env=build/stage
if [ ! -x $env/bin/python ]; then
    "${PYTHON:-python3.12}" -m venv $env
    $env/bin/python .ci/requirements.py build-system > $env/build-system.txt
    $env/bin/python -m pip install -q numpy scipy ninja cmake -r $env/build-system.txt
fi
rm -rf $out
mkdir -p $out/site $out/data
$env/bin/python -m pip wheel -q --no-deps --no-build-isolation --config-settings='build-dir=build/{wheel_tag}' -w $out/wheels .
$env/bin/python -m zipfile -e $out/wheels/*.whl $out/site
cp -r paper/src/rpw_paper $out/site/
rm -r $out/wheels
cp paper/gpu/evidence.py $out/
cp "$1"/mnist.npz "$1"/cifar10.npz "$1"/corel5k.npz $out/data/
touch $out/done.txt
if [ -n "${2:-}" ]; then
    PYTHONPATH=$out/site $env/bin/python $out/evidence.py --list-done "$2" > $out/done.txt
    sed 's,$,/,' $out/done.txt > build/whole.txt
    (cd "$2" && find . -name '*.npz') | grep -vFf build/whole.txt | while read -r file; do
        mkdir -p "$out/earlier/$(dirname "$file")"
        cp "$2/$file" "$out/earlier/$file"
    done
fi
cat > $out/run.sh <<'RUN'
#!/bin/sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$1 seconds=$2
shift 2
mkdir -p "$to"
export PYTHONPATH=$here/site PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
python3 "$here/evidence.py" --data "$here/data" --done "$here/done.txt" --earlier "$here/earlier" \
    --store "${STORE:-/tmp/rpw-evidence}" --out "$to" --seconds "$seconds" "$@" 2>&1 | tee "$to/log.txt"
RUN
chmod +x $out/run.sh
find $out -name __pycache__ -prune -exec rm -rf {} +
du -sm $out
