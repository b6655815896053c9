"""Sections of reports that only legal results have."""
