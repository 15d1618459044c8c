"""A folder of NPZ files: data sets by name, and files that cannot be used refused in a sentence."""

import numpy as np
import pytest
from scipy import sparse

from backstay.datasets import TableError
from reproduction import load_npz_dir


def test_a_folder_of_npz_files(tmp_path):
    X = sparse.csr_matrix(np.eye(4))
    csr = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(tmp_path / "b.npz", y=[0, 1, 0, 1], n_train=3, groups=[1, 1, 2, 2], **csr)
    np.savez(
        tmp_path / "a.npz", X=np.eye(2), y=[0, 1], feature_names=["f", "g"], class_names=["u", "v"]
    )
    data = load_npz_dir(tmp_path)
    assert list(data) == ["a", "b"]
    assert len(data) == 2
    assert "2 data sets: 'a', 'b'" in repr(data)
    assert sparse.issparse(data["b"].X)
    assert data["b"].n_train == 3
    assert data["b"].groups.tolist() == [1, 1, 2, 2]
    assert data["b"].class_names == ["0", "1"]
    assert (data["a"].feature_names, data["a"].class_names) == (["f", "g"], ["u", "v"])
    with pytest.raises(KeyError, match="there are a, b"):
        data["c"]
    with pytest.raises(TableError, match="not a folder"):
        load_npz_dir(tmp_path / "a.npz")
    np.savez(tmp_path / "c.npz", X=np.eye(2))
    with pytest.raises(TableError, match="has no y"):
        load_npz_dir(tmp_path)["c"]


def test_files_that_are_not_plain_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "objects.npz", X=np.array([[1, "a"]], dtype=object), y=[0])
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04x")
    np.save(tmp_path / "single.npy", np.eye(2))
    (tmp_path / "single.npy").rename(tmp_path / "single.npz")
    data = load_npz_dir(tmp_path)
    for name in data:
        with pytest.raises(TableError, match=rf"{name}\.npz must be an NPZ file of plain arrays"):
            data[name]


def test_a_folder_without_data_sets_is_refused(tmp_path):
    with pytest.raises(TableError, match=r"holds no \.npz files"):
        load_npz_dir(tmp_path)
