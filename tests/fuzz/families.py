"""All families of cases."""

from collections.abc import Mapping

from tests.fuzz import folders, links, pages, texts, uploads
from tests.fuzz.run import Family

FAMILIES: tuple[Family, ...] = (
    *texts.FAMILIES,
    *uploads.FAMILIES,
    *links.FAMILIES,
    *folders.FAMILIES,
    *pages.FAMILIES,
)
NAMED: Mapping[str, Family] = {family.name: family for family in FAMILIES}
