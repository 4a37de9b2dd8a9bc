"""The recipes of CONTRIBUTING.md: each is followed in a copy of the tree, and touches as many files as it says."""

import pytest

from tests.layering import ROOT
from tests.recipes import Step, changed, copy, follow, read, translated

RECIPES = read((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
AFTER = {"A figure": ("A page",)}
"""Recipes that go on from others."""


@pytest.mark.parametrize("name", RECIPES, ids=lambda name: name.replace(" ", "-"))
def test_a_recipe_works_as_printed_and_touches_as_many_files_as_it_says(name, tmp_path):
    folder = copy(tmp_path / "tree")
    for before in AFTER.get(name, ()):
        follow(RECIPES[before], folder, tests=False)
    touched = follow(RECIPES[name], folder)
    assert len(touched) == RECIPES[name].files, sorted(touched)


DOCUMENT = """
### A page (2 files)

1. `pages/new.py`: beside `pages/old.py`, in `core`, the file `pages/new.py`:

   ```python
   PAGE = 1
   ```
2. And then:

   ```sh
   make words
   ```

### Another (1 file)

`README.md`:

```diff
 | one |
+| two |
```

## The end

```python
"""


def test_a_block_belongs_to_the_file_that_was_named_last_before_it():
    found = read(DOCUMENT)
    assert [(each.name, each.files) for each in found.values()] == [("A page", 2), ("Another", 1)]
    assert found["A page"].steps == (Step("python", "PAGE = 1\n", "pages/new.py"), Step("sh", "make words\n"))
    assert found["Another"].steps == (Step("diff", " | one |\n+| two |\n", "README.md"),)
    with pytest.raises(ValueError, match="A page: no file is named before the block that begins with 'x'"):
        read("### A page (1 file)\n\n```python\nx\n```\n")


def test_a_change_is_made_where_its_lines_stand_and_nowhere_else():
    step = Step("diff", " a\n-b\n+B\n…\n c\n+d\n", "list.py")
    assert changed("a\nb\nx\nc\n", step) == "a\nB\nx\nc\nd\n"
    for text in ("a\nx\nb\nc\n", "a\nb\na\nb\nc\n", "a\nb\nx\n"):
        with pytest.raises(ValueError, match="list.py: these lines must stand there once"):
            changed(text, step)


def test_a_translation_is_put_where_there_is_none():
    text = '#: a.py\nmsgid "One"\nmsgstr ""\n\nmsgid "Two"\nmsgstr "Iki"\n'
    assert 'msgid "One"\nmsgstr "Bir"\n' in translated(text, Step("po", 'msgid "One"\nmsgstr "Bir"\n', "tr.po"))
    with pytest.raises(ValueError, match='tr.po: there is no untranslated message msgid "Two"'):
        translated(text, Step("po", 'msgid "Two"\nmsgstr "Iki"\n', "tr.po"))
