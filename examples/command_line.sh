#!/bin/sh
# From a corpus to a model, its scores, its features and its tags.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
corpus=$(python -c 'from importlib.resources import files; print(files("weft.corpora") / "english")')
model=$folder/english.weft

weft train "$model" --train "$corpus/train.tagged" --dev "$corpus/heldout.tagged" \
  --penalty gaussian:1.0 --set iterations=15
weft evaluate "$model" "$corpus/test.tagged"
weft inspect "$model" --top 5 --kind 'tag:suffix*'
echo "The old man saw the light ." | weft predict "$model" --format text --marginals
