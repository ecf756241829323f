"""Hypothesis profiles. Runs repeat each other exactly; ``HYPOTHESIS_PROFILE=deep`` searches anew and for longer."""

import os

from hypothesis import HealthCheck, settings

_quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("short", max_examples=80, deadline=None, derandomize=True, suppress_health_check=_quiet)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=_quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))
