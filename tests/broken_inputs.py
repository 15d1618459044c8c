"""A directory of inputs that cannot be used, each with the command and a word of its sentence.

``python tests/broken_inputs.py folder`` writes them, to try other programs on.
"""

import contextlib
import gzip
import os
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pandas as pd

from table_formats import TARGET, example, write_gct, write_h5ad, write_series_matrix


@dataclass(frozen=True)
class Broken:
    """A file that cannot be used, the options of the command, and words of the answer."""

    name: str
    options: tuple[str, ...]
    words: str


class Maker:
    """Writes files into a folder and remembers what to expect of them."""

    def __init__(self, folder):
        self.folder, self.cases = folder, []
        self.numbers, self.sheet, self.genes = example()

    def expect(self, name, words, *options, target=TARGET):
        chosen = ("-t", target) if target else ()
        given = tuple(str(self.folder / o[1:]) if o.startswith("@") else o for o in options)
        self.cases.append(Broken(name, (*chosen, *given), words))

    def text(self, name, text, words, *options, encoding="utf-8", **more):
        (self.folder / name).write_bytes(text.encode(encoding))
        self.expect(name, words, *options, **more)

    def raw(self, name, data, words, *options, **more):
        (self.folder / name).write_bytes(data)
        self.expect(name, words, *options, **more)

    def excel(self, name, rows, words, *options, change=None):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        if change is not None:
            change(book)
        book.save(self.folder / name)
        self.expect(name, words, *options)


def make_broken_inputs(folder):
    """Write every broken input; return what to expect of them."""
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(folder)
    for write in (texts, targets, sheets, archives, workbooks, anndata, expression):
        write(maker)
    return maker.cases


def rows_text(sep=",", n=12):
    lines = [sep.join(["a", "b", TARGET])]
    lines += [sep.join([f"{i}.5", f"{i * i % 7}", "xy"[i % 2]]) for i in range(n)]
    return "\n".join(lines) + "\n"


def texts(maker):
    good = rows_text()
    maker.text("empty.csv", "", "is empty")
    maker.text("blank.csv", "\n \n\n", "is empty")
    maker.text("header.csv", f"a,b,{TARGET}\n", "no rows below")
    maker.text("one.csv", f"{TARGET}\nx\ny\n", "one column only")
    maker.text("ragged.csv", good + "1,2\n", "2 fields in line 14 and 3")
    maker.text("wide.csv", f"a,{TARGET}\n1,x,4,5\n2,y,4,5\n", "every column needs a name",
               "--delimiter", ",")  # fmt: skip
    maker.text(
        "twice.csv",
        good.replace("b,", "a,", 1),
        "1 name more than once",
    )
    junk = good.replace("3.5", "n.d.").replace("4.5", "<0.5").replace("5.5", "5 %")
    maker.text("junk.csv", junk, "'n.d.' (1 time), '<0.5' (1 time), '5 %' (1 time)")
    maker.text("lod.csv", good, "lod='third' must be half", "--lod", "third")
    maker.text("title.csv", f"A study, 2024\n\n{good}", "leave them out with --skip 2.")
    maker.text("half-skipped.csv", f"A study\nof it\n\n{good}", "with --skip 3", "--skip", "1")
    maker.text("comma.csv", good.replace(",", ";").replace(".", ","), "decimal ','")
    maker.text("infinite.csv", good.replace("3.5", "inf"), "infinite value in row 4")
    maker.text("latin.csv", good.replace("x", "é"), "not utf-8 text", encoding="latin-1")
    maker.text("utf16.csv", good, "UTF-16", encoding="utf-16")
    maker.text("utf32.csv", good, "UTF-32", encoding="utf-32")
    maker.text("encoding.csv", good, "encoding='klingon' is unknown", "--encoding", "klingon")
    maker.raw("binary.csv", b"\x00\x01\x02" * 50, "is not text")
    maker.text("quote.csv", f'a,b,{TARGET}\n"1,2,x\n' + "3,4,y\n" * 30000, "quotation mark")
    maker.raw("zip.csv", b"PK\x03\x04xyz", "is a zip or Excel file")
    maker.raw("sqlite.csv", b"SQLite format 3\x00", "is a database")
    maker.text("delimiter.csv", good, "must be one character", "--delimiter", "ab")
    maker.text("drop.csv", good, "no column 'zzz'", "--drop", "zzz")
    maker.text("group.csv", good, "no column 'zzz'", "--groups", "zzz")
    maker.text("floor.csv", good, "must be above 0", "--log2", "0")
    maker.text("dedupe.csv", good, "must be first or mean or max-variance", "--dedupe", "sum")
    maker.text("word.doc", good, "ends in '.doc'")
    maker.text("old.xls", "x", "save it as .xlsx or CSV")
    maker.text("constant.csv", f"a,b,{TARGET}\n" + "1,2,x\n1,2,y\n" * 6, "no column left")
    (maker.folder / "folder.csv").mkdir(exist_ok=True)
    maker.expect("folder.csv", "is a folder")
    with contextlib.suppress(FileExistsError):
        os.mkfifo(maker.folder / "pipe.csv")
    maker.expect("pipe.csv", "is a pipe or a device")


def targets(maker):
    good = rows_text()
    maker.text("no-target.csv", good, "no column 'disease'", target="disease")
    maker.text("near.csv", good, "did you mean 'diagnosis'", target="Diagnosis")
    maker.text("which.csv", good, "The option is --target.", target=None)
    whole = good.replace(".5", "")
    maker.text("measure.csv", whole, "classes or measured", target="a")
    maker.text("positive-number.csv", good, "'a' holds numbers; positive is for classes",
               "--positive", "x", target="a")  # fmt: skip
    maker.text("exclude-number.csv", good, "The option is --exclude-class.",
               "--exclude-class", "1.5", target="a")  # fmt: skip
    maker.text("sized-number.csv", good, "The option is --min-class-size.",
               "--min-class-size", "3", target="a")  # fmt: skip
    maker.text("few-numbers.csv", rows_text(n=11), "'a' has 11 rows; numbers need 12", target="a")
    maker.text("no-number.csv", good.replace("4.5", "<4"), "'a' holds '<4' in row 5", target="a")
    maker.text("inf-number.csv", good.replace("4.5", "inf"), "'a' is infinite in row 5", target="a")
    maker.text("comma.csv", rows_text(";").replace(".", ","), "The option is --decimal.",
               "--delimiter", ";", target="a")  # fmt: skip
    maker.text("dates.csv", good.replace(".5", "-05-31"), "'0-05-31' in row 1, a date", target="a")
    maker.text("constant-number.csv", good.replace("x", "1").replace("y", "1"), "is 1 in all rows",
               "--kind", "numbers", target=TARGET.replace("y", "1"))  # fmt: skip
    maker.text("words.csv", good, "holds 'x' in row 1, which is no number", "--kind", "numbers")
    maker.text("kind.csv", good, "kind='survival' must be", "--kind", "survival")
    maker.text("t-number.csv", good, "t takes classes, but the outcome is numbers: use slope",
               "-m", "t", target="a")  # fmt: skip
    maker.text("auc-number.csv", good, "roc_auc", "--metric", "roc_auc", target="a")
    maker.text(
        "single.csv", good.replace("y", "x"), "one class only", target=TARGET.replace("y", "x")
    )
    maker.text("unlabelled.csv", good.replace("x", "").replace(",y\n", ",\n"), "no row has a value")
    maker.text("named.csv", f"a,b,{TARGET}\n" + "".join(f"{i},{i % 3},n{i}\n" for i in range(9)),
               "names, not classes")  # fmt: skip
    maker.text("small.csv", good + "1,2,rare\n", "class 'rare' of 'diagnosis' has 1 row")
    maker.text("exclude.csv", good, "no class 'zzz' to leave out", "--exclude-class", "zzz")
    maker.text("left.csv", good, "one class only", "--exclude-class", "x")
    maker.text("sized.csv", good, "no class of 'diagnosis' is left", "--min-class-size", "50")
    maker.text("positive.csv", good, "no class 'zzz'", "--positive", "zzz")
    maker.text("times.csv", good, "times are numbers or dates", "--measured", TARGET, target="b")


def sheets(maker):
    numbers, sheet, folder = maker.numbers, maker.sheet, maker.folder
    numbers.T.to_csv(folder / "genes.tsv", sep="\t", index_label="gene")

    def case(name, frame, words, *options, data="genes.tsv", **more):
        frame.to_csv(folder / name, index=False)
        maker.expect(data, words, "--samples", f"@{name}", *options, **more)

    maker.expect("genes.tsv", "The option is --samples.")
    maker.expect("genes.tsv", "there is no file", "--samples", "@nowhere.csv")
    renamed = sheet.assign(sample=[f"patient-{i}" for i in range(len(sheet))])
    case("other-names.csv", renamed, "no sample of other-names.csv is in genes.tsv")
    case(
        "mismatched.csv", sheet.iloc[3:], "3 samples of genes.tsv are not in mismatched.csv: 'S00'"
    )
    more = pd.concat([sheet, sheet.head(1).assign(sample="S99")])
    case("extra.csv", more, "1 sample of extra.csv is not in genes.tsv: 'S99'")
    case("two-rows.csv", pd.concat([sheet, sheet.head(2)]), "more than one row for 2 samples")
    case("no-label.csv", sheet.drop(columns=TARGET), "no-label.csv has no column 'diagnosis'")
    case("id.csv", sheet, "id.csv has no column 'name'", "--id", "name")
    case("wrong-id.csv", sheet, "no sample of wrong-id.csv is in", "--id", "patient")
    case("gap.csv", sheet.assign(patient=None), "row 1 has no value of 'patient'", "--groups",
         "patient")  # fmt: skip
    case("about.csv", sheet, "no column 'symbol' to describe", "--annotation", "symbol")
    case("also.csv", sheet, "did you mean 'patient'", "--also", "patients")
    doubled = numbers.T.rename(columns={"S01": "S00"})
    doubled.to_csv(folder / "doubled.csv", index_label="gene")
    case("doubled-sheet.csv", sheet, "1 sample more than once ('S00')", "--allow-unmatched",
         data="doubled.csv")  # fmt: skip
    text = numbers.T.astype(object)
    text.iloc[2, 3] = "n.d."
    text.to_csv(folder / "text.csv", index_label="gene")
    case(
        "text-sheet.csv", sheet, "first 'n.d.' for feature 'gene2' in sample 'S03'", data="text.csv"
    )
    nameless = numbers.T.rename(index={"gene3": ""})
    nameless.to_csv(folder / "nameless.csv", index_label="gene")
    case("nameless-sheet.csv", sheet, "the first is row 4", data="nameless.csv")
    copies = numbers.T.rename(index={"gene3": "gene1"})
    copies.to_csv(folder / "copies.csv", index_label="gene")
    case("copies-sheet.csv", sheet, "'gene1', the first in features 2 and 4", data="copies.csv")


def archives(maker):
    folder = maker.folder
    packed = gzip.compress(rows_text().encode())
    maker.raw("short.csv.gz", packed[:-20], "not a whole gzip file")
    maker.raw("plain.csv.gz", rows_text().encode(), "not a whole gzip file")
    maker.raw("packed.parquet.gz", packed, "only text files may be gzipped")
    maker.raw("bomb.csv.gz", gzip.compress(b"0" * 2_000_000), "--max-size", "--max-size", "0.001")
    maker.raw("junk.parquet", b"x" * 300, "not a Parquet file")
    maker.raw("table.mat", b"x" * 300, "is a MATLAB file, which is not read", target=None)
    maker.text("table.arff", "@relation r\n", "is ARFF, which is not read; save it as CSV")
    maker.raw("junk.npz", b"PK\x03\x04x", "not an NPZ file", target=None)
    X, y = np.eye(9) + np.arange(9), np.resize([0, 1], 9)
    np.savez(folder / "objects.npz", X=np.array([[1, "a"]], dtype=object), y=[0])
    maker.expect("objects.npz", "Python objects", target=None)
    np.savez(folder / "no-x.npz", Z=X[0], y=y)
    maker.expect("no-x.npz", "has no array X", target=None)
    np.savez(folder / "lengths.npz", X=X, y=y[:4])
    maker.expect("lengths.npz", "4 values of y for 9 rows", target=None)
    np.savez(folder / "names.npz", X=X, y=y, feature_names=["a"] * 9)
    maker.expect("names.npz", "1 name more than once", target=None)
    np.savez(folder / "texts.npz", X=X.astype(str), y=y)
    maker.expect("texts.npz", "must hold numbers", target=None)
    np.savez_compressed(folder / "bomb.npz", X=np.zeros((2000, 100)), y=np.zeros(2000))
    maker.expect("bomb.npz", "unpacks to more than the 0.001 GB allowed", "--max-size", "0.001",
                 target=None)  # fmt: skip
    with zipfile.ZipFile(folder / "claims.npz", "w") as archive:
        head = "{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000, 9), }".ljust(117)
        magic = b"\x93NUMPY\x01\x00" + len(head + "\n").to_bytes(2, "little")
        archive.writestr("X.npy", magic + head.encode() + b"\n" + bytes(64))
    maker.expect("claims.npz", "damaged arrays", target=None)
    maker.expect("objects.npz", "has no layers", "--layer", "raw",
                 target=None)  # fmt: skip


def workbooks(maker):
    good = [["a", "b", TARGET], *([i + 0.5, i * i % 7, "xy"[i % 2]] for i in range(9))]

    def merged(book):
        book.active.merge_cells("A1:B1")

    def formula(book):
        book.active["B3"] = "=A3*2"

    maker.raw("text.xlsx", b"a,b,c\n", "not a whole Excel file")
    maker.raw("old.xlsx", b"\xd0\xcf\x11\xe0" + bytes(60), "old or encrypted")
    maker.excel("merged.xlsx", good, "unmerge merged cells", change=merged)
    maker.excel("formula.xlsx", good, "1 formula without a stored value, first in cell B3",
                change=formula)  # fmt: skip
    maker.excel("sheet.xlsx", good, "no sheet 'Labels'", "--sheet", "Labels")
    maker.excel("empty.xlsx", [], "holds no table")
    maker.excel("error.xlsx", [*good, ["#DIV/0!", 3, "x"]], "among numbers: '#DIV/0!' (1 time)")
    maker.excel("title.xlsx", [["A study"], [None], *good], "--skip 2")
    data = (maker.folder / "sheet.xlsx").read_bytes()
    maker.raw("short.xlsx", data[: len(data) // 2], "not a whole Excel file")
    maker.raw("big.xlsx", data, "unpacks to more than", "--max-size", "0.000001")
    with zipfile.ZipFile(maker.folder / "other.xlsx", "w") as archive:
        archive.writestr("hello.txt", "x")
    maker.expect("other.xlsx", "not a whole Excel file")


def anndata(maker):
    numbers, sheet, genes = maker.numbers, maker.sheet.set_index("sample"), maker.genes

    def case(name, words, *options, obs=sheet, kind="array", change=None):
        write_h5ad(maker.folder / name, numbers, obs, genes, kind)
        if change is not None:
            with h5py.File(maker.folder / name, "a") as file:
                change(file)
        maker.expect(name, words, *options)

    def remove(key):
        return lambda file: file.__delitem__(key)

    def linked(file):
        del file["X"]
        file["X"] = h5py.ExternalLink("dense.h5ad", "/X")

    def longer(file):
        del file["X"]
        file["X"] = np.zeros((3, 3))

    def texts(file):
        del file["X"]
        file["X"] = np.array([[b"a"] * 8] * 24)

    def damaged(file):
        file["X/indices"][...] = 99

    case("no-label.h5ad", "no column 'diagnosis'", obs=sheet.drop(columns=TARGET))
    case("layer.h5ad", "its layers are: 'twice'", "--layer", "raw")
    case("no-x.h5ad", "has no X", change=remove("X"))
    case("no-obs.h5ad", "without 'obs': not an AnnData file", change=remove("obs"))
    case("no-index.h5ad", "not a whole AnnData file", change=remove("var/_index"))
    case("linked.h5ad", "X is a link, which is not followed", change=linked)
    case("sides.h5ad", "X is 3 × 3; obs names 24 rows", change=longer)
    case("texts.h5ad", "it must hold numbers", change=texts)
    case("indices.h5ad", "not a whole AnnData file", kind="csr", change=damaged)
    case("turned.h5ad", "has a sample per row; leave transpose out", "--transpose")
    maker.raw("text.h5ad", b"a,b\n" * 99, "not HDF5, or cut short")


def expression(maker):
    numbers, sheet, genes = maker.numbers, maker.sheet.set_index("sample"), maker.genes
    folder = maker.folder
    write_series_matrix(folder / "cut.txt.gz", numbers, sheet, end="")
    maker.expect("cut.txt.gz", "is cut short: the last line is not !series_matrix_table_end")
    write_series_matrix(folder / "whole.txt", numbers, sheet)
    whole = (folder / "whole.txt").read_text()
    maker.expect("whole.txt", "no column 'disease'", target="disease")
    maker.expect("whole.txt", "has a feature per row", "--transpose")
    head, _, rest = whole.partition("!series_matrix_table_begin\n")
    maker.text("head.txt", head, "has no line !series_matrix_table_begin")
    table = rest.splitlines(keepends=True)
    begin = head + "!series_matrix_table_begin\n"
    maker.text("no-values.txt", begin + table[0] + table[-1], "holds no values")
    half = table[3].rsplit("\t", 3)[0] + "\n"
    maker.text("half.txt", begin + "".join([*table[:3], half, *table[4:]]), "22 fields in line")
    fewer = head.replace('\t"patient: p0"', "", 1)
    maker.text("fewer.txt", whole.replace(head, fewer), "23 values of !Sample_characteristics_ch1")
    packed = gzip.compress(whole.encode())
    maker.raw("short.txt.gz", packed[: len(packed) // 2], "not a whole gzip file")
    write_gct(folder / "genes.gct", numbers, genes)
    maker.expect("genes.gct", "no column 'diagnosis'")
    good = (folder / "genes.gct").read_text()
    maker.text(
        "sides.gct", good.replace("8\t24", "9\t24"), "9 features and 24 samples; there are 8"
    )
    maker.text("words.gct", good.replace("8\t24", "many\tmore"), "where GCT has its sides")
    maker.text("version.gct", good.replace("#1.2", "#9.9"), "does not begin as GCT 1.2 or 1.3")
    maker.text("junk.gct", good.replace("\t0.0", "\tn.d.", 1), "'n.d.' for feature 'gene0'")
    maker.text("empty.gct", "#1.2\n", "does not begin as GCT 1.2 or 1.3")


if __name__ == "__main__":
    make_broken_inputs(Path(sys.argv[1]))
