"""What a simulation leaves: reports, recordings, tables of joints and contacts, drawings."""
