"""The compiled core: functions from arrays to arrays, with the GIL released."""

from weft.arrays import FloatArray, IndexArray, IntArray
