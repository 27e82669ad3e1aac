"""What stands between a data set as it lies in its files and a trainer's chat template.

Files hold the arguments of calls as JSON text, OpenAI's form: it has one type whatever the tool, so that every loader
reads every shard. TRL's documentation, and most chat templates, have an object there.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def features(name: str) -> Any:
    """The columns of a table or a chat form for ``load_dataset("json", …, features=…)``.

    Read from JSON Lines without them, each file shows only what stands in it, and files that show different columns
    do not load together. Parquet needs none: its files say what their columns are.

    :param name: such as ``steps``, ``pairs`` or ``sft``.
    :raises KeyError: for any other name.
    """
    datasets = import_module("datasets")

    from sessionlens.curate.render import FORMS, arrow, form_schema
    from sessionlens.curate.rows import TABLES

    if name in TABLES:
        return datasets.Features.from_arrow_schema(arrow(TABLES[name]))
    if name not in FORMS:
        raise KeyError(name)
    found = datasets.Features.from_arrow_schema(form_schema(name))
    if name == "anthropic" and hasattr(datasets, "Json"):
        # Content blocks: JSON in a string in Parquet, objects of many shapes here.
        found["messages"] = datasets.Json()
    return found


def with_objects(dataset: Any) -> Any:
    """A data set that `datasets` loaded, with the arguments of calls as objects.

    :param dataset: a ``Dataset`` or ``DatasetDict`` with columns of messages.
    :raises ImportError: where `datasets` is too old to hold objects of any shape: 4.8 is the first that can.
    """
    datasets = import_module("datasets")
    if not hasattr(datasets, "Json"):
        raise ImportError(f"datasets {datasets.__version__} has no type Json: pip install -U 'datasets>=4.8'")
    if isinstance(dataset, datasets.DatasetDict):
        return datasets.DatasetDict({name: with_objects(one) for name, one in dataset.items()})

    def changed(name: str, feature: Any) -> Any:
        if name == "arguments":
            return datasets.Json()
        if isinstance(feature, dict):
            return {key: changed(key, inner) for key, inner in feature.items()}
        if isinstance(feature, datasets.List):
            return datasets.List(changed("", feature.feature))
        return feature

    features = datasets.Features({name: changed("", feature) for name, feature in dataset.features.items()})
    return dataset.cast(features)
