"""Small files of every format that readers accept, and what their formats know."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import pycrfsuite

from xle_files import attachment, attachment_alone, written

_WORD = "{}\t{}\t_\t{}\t{}\tMood=Imp|Number=Plur\t0\troot\t_\tSpaceAfter=No\n"
_RELATIONS = """\
item:
  i-id :integer :key
  i-input :string

parse:
  parse-id :integer :key                # unique
  i-id :integer :key
  p-input :string

result:
  parse-id :integer :key
  result-id :integer
  derivation :string

preference:
  parse-id :integer :key
  t-version :integer
  result-id :integer

edge:
  e-id :integer :key
  parse-id :integer :key
  e-label :string
  e-type :integer
  e-start :integer
  e-end :integer
  e-daughters :string
  e-alternates :string
"""
_PROFILE = f"""\
%% relations
{_RELATIONS}
%% item
1@rain
2@rain
3@xyzzy
%% parse
11@1@(1, 0, 1, <0:4>, 1, "rain", 0, "null", "NN" 0.9 "VB" 0.1)
12@2@
13@3@
%% result
11@0@(1 np 0 0 1 (2 rain_n 0 0 1 ("rain")))
11@1@(root_x (1 s 0 0 1 (2 rain_v 0 0 1 ("rain" 1 "token [ +FORM \\\\"rain\\\\" ]"))))
12@0@(1 s 0 0 1 (2 rain_v 0 0 1 ("rain")))
%% preference
11@1@0
11@2@1
12@1@0
%% edge
9@12@root@4@0@1@(5)@
5@12@np@3@0@1@(3)@(6)
6@12@s@3@0@1@(4)@
3@12@rain_n@1@0@1@(1)@
4@12@rain_v@1@0@1@(1)@
1@12@rain@0@0@1@@
2@13@xyzzy@0@0@1@@
"""
_LISTED = {
    "id": "17",
    "text": "it rains",
    "right": 0,
    "direct": True,
    "weight": 2,
    "analyses": [
        {"derivation": "(subj-head (it it) (rain_v1 rains))"},
        {"derivation": ["s → it rain", ["it", "it"], ["rain → 'rains'", "rains"]]},
        {"derivation": "(np (it it) (rain_n1 rains))", "features": {"plural": 1}, "score": -0.5},
    ],
}
_PACKED = {
    "id": "a",
    "root": "0",
    "right": [0, 2, 3],
    "forest": [
        {"node": "0", "rule": "s", "children": ["1", "2"], "features": {"x": 0.5}},
        {"node": "0", "rule": "np", "children": ["1", "2"], "score": -1},
        {"node": "1", "rule": "it", "words": ["it"]},
        {"node": "2", "rule": "rain", "words": ["rains"]},
    ],
}
_TRIAL = {
    "number": 1,
    "point": {"penalty": "gaussian:1", "order": "2"},
    "score": -1.5,
    "value": -20.25,
    "iterations": 5,
    "seconds": 0.25,
    "accuracy": 0.5,
    "stopped": "the value hardly changes",
}

_LFG = """D E CONFIG (1.0)
  ROOTCAT S. RULES (D E). TEMPLATES (D E). LEXENTRIES (D E) (F E). MORPHOLOGY (D E).
  GOVERNABLERELATIONS SUBJ OBL-?+. OPTIMALITYORDER Bad (X Y) NOGOOD +Good. EPSILON e.
----
D E RULES (1.0)
  S --> NP: (^ SUBJ)=! (! CASE)=c nom; VP[fin]; { PUNCT | e: (^ X)=y }.
  VP[_t] --> V: (^ T)=_t; [DO, PP*: ! $ (^ ADJUNCT);] / ADV (VP[inf]: (^ {XCOMP: (-> A)=c +;}*)=!).
  DO = NP#0#1: (^ OBJ)=!.  TWO(C) = C C+.  NP --> (D) { N | @(TWO N) }.
  METARULEMACRO(_CAT _BASECAT _RHS) = { _RHS | e: _CAT $c {NP N}; _CAT: ! $ ^; CONJ _CAT: ! $ ^; }.
----
D E TEMPLATES (1.0)
  T(P) = (^ PRED)='P<(^ SUBJ) NULL>(^ OBJ)' @(IF (^ A)=b [~(^ C) (^ D)~=e]).
  IF(P Q) = { ~P | ~~Q }.
  PASS(_S) = { _S | _S (^ OBJ)-->(^ SUBJ) { (^ SUBJ)-->NULL | (^ SUBJ)-->(^ OBL) } }.
----
D E LEXICON (1.0)
Kim N * (^ PRED)='%stem' (^ C) $ {a b} @(OT-MARK Bad).  "a comment"
sees V * @(PASS @(T see)) ((COMP ^) X)=%x @(CAT (^ XCOMP) {AP VP[fin]}); N XLE; ETC.
new` york N *. `. PUNCT * (s::^ X)=y. cow N XLE (^ P)=+_. +Pl N_SFX XLE. -unknown N * (^ P)=%stem.
----
F E LEXICON (1.0)
sees +V * (^ E)=f; -N; ONLY.
----
D E MORPHOLOGY (1.0)
TOKENIZE: P!x.fst
ANALYZE USEFIRST: y.pl
----
"""
_SEEDS: dict[str, list[str]] = {
    "conllu": [
        "# newdoc\n\n# sent_id = 1\n"
        + _WORD.format("1-2", "don't", "_", "_")
        + _WORD.format(1, "do", "AUX", "VB")
        + _WORD.format(2, "n't", "PART", "RB")
        + _WORD.format("2.1", "to", "PART", "TO")
        + "\n"
        + _WORD.format(1, "Aye", "INTJ", "UH")
        + "\n",
    ],
    "columns": [
        "The DT B-NP\ncat NN I-NP\nsleeps VBZ B-VP\n\n-DOCSTART- -X- O\n\nDogs  NNS B-NP\n\n",
        "New York\tNNP\tB-LOC\nis\tVBZ\tO\n\n",
    ],
    "tagged": ["The/DT cat/NN ate/VBD 1/2/CD of/IN it/PRP ./.\n\ntime/? flies/VBZ|NNS\n"],
    "text": ["The old man saw the ship .\n\nIt sank .\n"],
    "crfsuite": ["NN\tw=time\tlength:0.4\nVBZ\tw=flies\tc\\:d:2\n\nO\tw=\\\\\n"],
    "brackets": [
        "( (S (NP-SBJ-1 (PRP We))\n  (VP (VBD tried)\n   (S (NP-SBJ (-NONE- *-1)) (VP (TO to) "
        "(VP (VB leave)))))\n  (. .)) )\n(X (-LRB- -LRB-) (NN 1\\/2))\n",
    ],
    "prediction": [],
    "parse-sets": [json.dumps(_LISTED) + "\n" + json.dumps({**_LISTED, "id": "b"}) + "\n"],
    "packed": [json.dumps(_PACKED) + "\n"],
    "derivations": [
        "(subj-head (spec-head (the_d the) (dog_n dog)) (sees_v sees))",
        '(root_x (1 s 0.5 0 1 (2 rain_v -1e-3 0 1 ("rain" 1 "token [ +FORM \\"rain\\" ]"))))',
    ],
    "profiles": [_PROFILE],
    "xle": [
        attachment(),
        attachment("") + attachment_alone(),
        written(
            "nå, I\\'m",
            ["choice([A1,A2], 1)", "choice([B1,B2,B3], CV_001)", "choice([C1,C2], or(A1,B2))"],
            ["define(CV_001, or(A1,not(A2)))", "select(B2, A1)"],
            [
                ("and(A1,B2)", "eq(attr(var(0),'NUM'),var(3))"),
                ("C1", "eq(var(3),'sg')"),
                ("C2", "eq(var(3),var(0))"),
                ("1", "in_set('x',var(4))"),
                ("B3", "eq(attr(var(0),'SUBJ'),var(4))"),
            ],
            [("1", "subtree(2,'NP',-,1)"), ("A1", "terminal(1,'+Noun',[1])")],
            4,
        ).replace("utf-8", "iso-8859-1"),
    ],
    "grammar": [
        "# notes\n%start S\nS -> NP VP [1.0]\nNP -> 'the' N [0.6] | \"it\" [4e-1]\nVP -> V NP | V\n"
        "N -> 'dog' [2] | [0.5]\nV -> 'sees' [1e-400]\n",
    ],
    "feature-grammar": [
        "# np1 (core)\n% start S\nS[SEM=<?v(?n)>]/?x -> NP[NUM=?a, SEM=?n] VP[NUM=?a, SEM=?v]/?x\n"
        "S -> NP[AGR=(1)[NUM=sg], H=[AGR->(1)]] 'sees' NP | NP\n"
        "NP[+WH, -Q, B={a+?x}, C=(?x, 1)] ->\n"
        "NP[AGR=[NUM=?n], SEM=<\\P.exists x.(P(x) & -Q(x,'a'))>] -> 'Kim' | \"stars\" \\\n 'x'\n",
    ],
    "patr": [
        "; ours\nParameter: Start symbol is S.\nLet Sg be <head agr> = sg | 3\n"
        "Let V be <cat> = !V [head: [form: {fin inf}]]\n"
        "Define P as <out> = <in>\n"
        "Rule {s1} S -> NP V (X): <S head> = <V head> {<NP head agr> = <V head agr> / <X> = <V b>}"
        '\nRule X_0 = X_1 "and" X_2\n  <X_0 cat> = <X_1 cat>\n  <X_0 a> <= b\n'
        "  <X_0> == ~[a: b] -> ([c: d] / [e: f])\n"
        "Word Kim: <cat> = NP Sg P.\nWord sees: V Sg <b> = [cat: NP].\nEnd\n",
    ],
    "patr-lexicon": ["\\w Kim\n\\c NP\n\\g kim\n\\f <num> = sg\n [a: b]\n\n\\w sees\n\\c V\n"],
    "lfg": [_LFG],
    "lfg-suite": [
        "# ours\n2: the dog barks\n1+3: it rains\n\n0: barks\n",
        '# SENTENCE_ID: 1\n\nIt\nrains. (2+1 0.02 57)\n\n"comment"\n\nIt. (0! 0 0)\n\nRains.\n',
    ],
    "network": [
        '# notes\nnetwork(n).\narc(n, 0, 1, "c").\narc(n, 1, 2, "o":"%0").\narc(n, 2, 2, "?").\n'
        'arc(n, 2, 3, "+Pl":"s").\narc(n, 3, 0, "@":" ").\narc(n, 0, 3, "x":"0").\nfinal(n, 3).\n',
        "cows\tcow+N+Pl\nit\tit\n",
        "0 1 c c\n1 1 <any> <any>\n1 2 s +Pl\n2\n",
    ],
    "grammar-json": [
        json.dumps(
            {
                "start": "S",
                "rules": [
                    {"head": "S", "body": ["NP", {"terminal": "flies"}], "log_weight": -0.5},
                    {"head": "NP", "body": [], "weight": 2},
                    {"head": "NP", "body": [{"terminal": "time"}], "log_weight": None},
                ],
            },
            indent=1,
        )
    ],
    "transducer": ["0 0 <any> <any>\n0 1 a <eps> 0.5\n1 2\tb\tc\tInfinity\n1\n2 -1.5e-3\n"],
    "dictionary": ["the\tDT\nsaw\tNN VBD VB\nNew York\tNNP\n"],
    "tag-map": ["N\tNN NNS\nV\tVB VBD\n"],
    "head-rules": [
        "# ours\nVP left TO VBD VBN\nPP right IN TO\nNP any-right NN NNS\nNP last POS\nNP right\n"
        "* coordinated CC\n* left\n",
    ],
    "templates": ["word[0] word[-1] suffix3[0]|capital[0] column2[1] column2.shape[0] bias"],
    "template-file": [
        "# words\nU00:%x[-1,0]\nU01:%x[0,0]/%x[0,1]\nB\nB01:%x[0,1]\n",
        '*\nu:word=%X[0,0]\n*:end=%m[ 0,0,".?.?$"]\nb:caps=%t[-1,0,"^\\u*\\p"]\n',
    ],
    "evalb": [
        "# ours\nDEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP\n"
        "DELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL ADVP PRT\nEQ_WORD a b\n",
    ],
    "settings": [
        "order=2\ntemplates=word[0] word[-1]\niterations=10\ntolerance=1e-5\nscheme=chunks\n"
        "forbidden=DT>VB,>VB\nminimum_count=2\nboundaries=no\nrare=5",
        "penalty=gaussian:1.0,bigram=10\ndilute=500,count<3\nnormalisation=joint\nmemory=6\n",
    ],
    "ledger": [
        json.dumps(
            {"arguments": {"recipe": "crf"}, "trials": [_TRIAL, {**_TRIAL, "number": 2}]}, indent=2
        )
    ],
}
_FORMATS = ("conllu", "columns", "tagged", "text", "crfsuite", "brackets")
_SEEDS["prediction"] = [text for name in _FORMATS for text in _SEEDS[name]]

_JSON = ["{", "}", "[", "]", ",", ":", "null", "true", "NaN", "-Infinity", '"\\ud800"', '""', "{}"]
_NAMES: dict[str, list[str]] = {
    "conllu": ["1\t", "1-2", "1.1", "# text = ", "_", "\t_", "\n\n", "Mood=Imp|Number=Plur", "?"],
    "columns": ["-DOCSTART-", "B-NP", "I-NP", "O", "\t", "  ", "\n\n", "A|B", "?"],
    "tagged": ["/", "/NN", "//", "|", "/?", "/_", "A|B", " ", "\t"],
    "text": ["/", " ", "\u00a0", "\u2028"],
    "crfsuite": [":", "\\:", "\\\\", "\t", ":1e308", ":-0", "_", "?", "A|B", ":nan"],
    "brackets": ["(", ")", "()", "( (", "-NONE-", "-LRB-", "\\/", "(NN dog)", "(-NONE- *)", "(S)"],
    "parse-sets": [*_JSON, '"analyses"', '"right"', '"derivation"', '"features"', '"score"',
                   '"forest"', '"root"', '"weight"', "(a b)", "(a", "\\u0000", "1e999"],
    "packed": [*_JSON, '"node"', '"rule"', '"children"', '"words"', '"0"', '"1"', '"root"',
               '"right"', '{"node": "0", "rule": "r", "children": ["0"]}'],
    "derivations": ["(", ")", '"', '\\"', "(1 s 0 0 1 ", "1e999", "-1", "root", "@"],
    "profiles": ["@", "\\s", "\\n", "\\\\", ":integer", ":string", ":key", "%% item\n", "(5)", "-1",
                 "%% edge\n", "%% result\n", ":a" * 40, "# :a", "12", "5", "9"],
    "xle": ["choice([", "A1", "B1", "or(", "and(", "not(", "cf(", "eq(", "attr(", "var(0)",
            "semform('x',1,[],[])", "in_set(", "subtree(2,'NP',2,1)", "-", ",", "]", ")", "'", ".",
            "define(CV_001,", "CV_001", "select(", "% -*- coding: utf-7 -*-", "\\", "%", "1",
            "var(1)", "(" * 9],
    "feature-grammar": ["->", "|", "[", "]", "(1)", "->(1)", "?x", "+", "-", "=", "/", "<", ">",
                        "\\x.", "{", "}", "(", ")", ",", "*slash*", "*type*", "% start", "exists",
                        "% include x", "[A=[A=", "'"],
    "patr": ["Rule ", "Word ", "Let ", " be ", "Define ", "Parameter: ", "Include ", "\n", "X",
             "X_1", "<", ">", "=", "==", "<=", "{", "}", "/", "(", ")", "[", "]", ":", ".", "!",
             "~", "->", "<S> = <V>", "<in>", "<out>", "Sg", '"', ";", "|", "cat", "[a: ", "{+ -}",
             "<S a> = <S>"],
    "patr-lexicon": ["\\w ", "\\c ", "\\f ", "\\g ", "\n", "<a> = ", "{a b}", "[a: b]", "X", "NP"],
    "grammar": ["->", "|", "[0.5]", "[1e999]", "[-1]", "[0]", "[nan]", "'", '"', "\\", "%start",
                "#", "S", "NP", "'a'", "\n  | ", "[", "]"],
    "lfg-suite": [":", "(1 0.02 5)", "(1! 0 0)", "2+1:", "#", '"', "\n\n", "(", ")", "9" * 30],
    "lfg": ["-->", "(^ ", "=c ", "~", "$ ", "{", "|", "}", "[", "]", "(", ")", "'", '"', "`", "@(",
            ";", ":", ". ", "*", "+", "#0#1", "/", ",", "e:", "VP[_x]", "_CAT", "%stem", "%x", "<",
            "(->", "::", "NULL", "METARULEMACRO(_CAT _BASECAT _RHS) = ", "ETC", "-unknown", "----",
            "D E RULES (1.0)\n", "FILES x.lfg.", "CHARACTERENCODING utf-16.", "@(M NP)", "@(T x)",
            "EPSILON S.", "BASECONFIGFILE x.", "\r"],
    "network": ["arc(n, 0, 0, ", '"a":"b").\n', '"0"', '"?"', "final(n, 0).\n", "network(m).\n",
                "symbol(n, ", "\t", "+N", "%", "\\n", "@", "0 0 <eps> a\n", "<any>", "symbol"],
    "grammar-json": [*_JSON, '"head"', '"body"', '"terminal"', '"weight"', '"log_weight"',
                     '"rules"', '"start"', '"S"'],
    "transducer": ["<eps>", "<any>", "Infinity", "-inf", "0", "1", "\t", " ", "\n"],
    "dictionary": ["\t", " ", "NN", "\tNN VB"],
    "tag-map": ["\t", " ", "NN", "N\tNN"],
    "head-rules": ["left", "right", "any-left", "any-right", "last", "coordinated", "*", "#", "NP"],
    "templates": ["word[0]", "[", "]", "|", ".", "(", ")", "column0", "column2", "suffix10",
                  "prefix99", "shape", "bias", "[-99]", "[99999999999999999999]", " "],
    "template-file": ["%x[", "%t[", "%M[", "]", ",", '"', "*", "?", "^", "$", "\\u", "\\", "U", "B",
                      "#", "@", ":", "[-99,0]", "%", "U00:%x[0,0]"],
    "evalb": ["DELETE_LABEL", "EQ_LABEL", "EQ_WORD", "CUTOFF_LEN", "QUOTE_LABEL", "LABELED", "#"],
    "settings": ["=", "order", "templates", "pair_templates", "iterations", "forbidden", ">", ",",
                 "all", "none", "yes", "no", "gaussian:", "relative:", "dirichlet:", "count<", "l1",
                 "criterion", "optimiser", "restarts", "memory", "period", "scheme", "|"],
    "ledger": [*_JSON, '"number"', '"point"', '"score"', '"trials"', '"arguments"'],
}  # fmt: skip
_NAMES["prediction"] = [word for name in _FORMATS for word in _NAMES[name]]

WORDS: dict[str, list[bytes]] = {
    name: [word.encode() for word in words] for name, words in _NAMES.items()
}
"""What each format knows."""


def seeds(name: str) -> list[bytes]:
    """Return files that a target accepts, and an empty one."""
    return [text.encode() for text in _SEEDS[name]] + [b""]


@cache
def crfsuite_models() -> list[bytes]:
    """Return models as CRFsuite writes them."""
    with tempfile.TemporaryDirectory() as folder:
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.append([["w=time", "first"], {"w=flies": 0.5}], ["NN", "VBZ"])
        trainer.train(f"{folder}/model")
        return [Path(folder, "model").read_bytes()]
