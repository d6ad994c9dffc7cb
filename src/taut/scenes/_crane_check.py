from taut.scenes._expect import expect_contacts

def check(recording) -> None:
    """x."""
    expect_contacts(recording, penetration=1e-3, violation=1e-5, residual=1e-9)
