"""Row parts: the few measures of relative motion that all joints, springs, limits and motors are made of.

A *part* measures q(x) between bodies and gives its Jacobian J = dq/dx; a *law* says what the row asks of q
(hold, push within bounds, follow, stay within limits, give way like a spring). `container` is the memory both share.
"""
