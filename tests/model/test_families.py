"""Families of models: what each has, how its settings are read, and that nobody asks for one by its class."""

import ast
import json

from core.config import PRESETS, ModelConfig, RecurrentConfig
from core.errors import SettingsError
from core.model import families
from core.model.recurrent import RecurrentModel
from core.model.transformer import Transformer
from tests.layering import project
from tests.refusals import refused

LSTM = PRESETS["lstm"].model.replace(source_vocabulary=9, target_vocabulary=9, embedding_dim=4, units=4)
TRANSFORMER = PRESETS["tutorial-encoder"].model


def test_a_model_says_what_it_has():
    has = ModelConfig(num_heads=8, positions="learned").has
    assert (has.family, has.heads, has.positions) == ("Transformer", 8, "learned")
    assert has.blocks == ModelConfig(num_heads=8, positions="learned") and has.cells is None
    has = RecurrentConfig(attention="dot").has
    assert (has.family, has.heads, has.positions, has.blocks) == ("recurrent model", 0, None, None)
    assert has.cells == RecurrentConfig(attention="dot")


def test_stored_settings_are_read_and_built():
    for config, network in [(LSTM, RecurrentModel), (TRANSFORMER, Transformer)]:
        assert families.read(json.loads(json.dumps(config.to_dict()))) == config
        assert type(families.build(config)) is network
    assert "family" not in TRANSFORMER.to_dict() and LSTM.to_dict()["family"] == "recurrent"
    refusal = f"family must be one of {', '.join(families.FAMILIES)}. Received: family="
    for name in ["bart", "", None, ["recurrent"], 5]:
        refused(SettingsError, refusal, families.read, LSTM.to_dict() | {"family": name})


def test_gates_are_for_models_with_heads():
    assert families.open_gates(LSTM) is None
    assert families.open_gates(TRANSFORMER).cross.open.shape == (2, 4)


def test_nobody_asks_for_a_family_by_its_class():
    for module, source in project()[0].items():
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        asked = " ".join(ast.unparse(call) for call in calls if ast.unparse(call.func) in ("isinstance", "type"))
        assert "ModelConfig" not in asked and "RecurrentConfig" not in asked, f"{module}: ask config.has instead"
