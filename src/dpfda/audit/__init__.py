"""Break the guarantee if you can: worst-case neighbours, and what their outputs give away.

An audit bounds epsilon from below by experiment.  It cannot prove privacy, but it finds noise that is too small, a bound
that was not enforced and a sensitivity that is off by a factor.  In many dimensions it sees less and less, so use it at
one to three dimensions, and `check_scales` at the dimensions that are used.
"""

from dpfda.audit.epsilon import AuditResult, audit_epsilon
from dpfda.audit.neighbours import Pair, worst_pair
from dpfda.audit.scales import ScaleResult, check_scales

__all__ = ["AuditResult", "Pair", "ScaleResult", "audit_epsilon", "check_scales", "worst_pair"]
