"""First names and family names that augmentation puts in place of one another."""

from core.files import table

MALE, FEMALE, FAMILY = (tuple(names.split()) for names in table(__file__).values())
