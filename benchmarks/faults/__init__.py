"""Faults on purpose: killed studies, damaged stores, nasty files, random fits."""
