/* The module `steelyard._native`: nothing but the conversion of arguments and results. The work is done without the
   interpreter's lock, except on what belongs to Python or is changed by the call. Only the limited API of Python 3.11
   is used. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "decimals.h"
#include "grouping.h"
#include "lines.h"
#include "overlaps.h"
#include "pieces.h"

#define JUDGMENTS "steelyard._native.judgments"
#define PIECES "steelyard._native.pieces"
#define LONGEST_NUMBER 127
#define INTERFACE 7 /* as in native.py: a module of another build is not used */

static void release_all(Py_buffer *buffers, int count) {
    for (int at = 0; at < count; at++)
        PyBuffer_Release(&buffers[at]);
}

/* ---- index_judgments ---- */

static void free_judgments(PyObject *capsule) {
    judgments_free(PyCapsule_GetPointer(capsule, JUDGMENTS));
}

static PyObject *index_judgments(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer b[7]; /* text, starts and ends of queries and of documents; the query of each document */
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6]))
        return NULL;
    struct judgments *made = NULL;
    int invalid = b[1].len != b[2].len || b[4].len != b[5].len || b[4].len != b[6].len || b[1].len % 8 || b[4].len % 8;
    if (!invalid) {
        struct texts queries = {b[0].buf, (size_t)b[0].len, b[1].buf, b[2].buf, (size_t)b[1].len / 8};
        struct texts documents = {b[3].buf, (size_t)b[3].len, b[4].buf, b[5].buf, (size_t)b[4].len / 8};
        Py_BEGIN_ALLOW_THREADS
        made = judgments_new(&queries, &documents, b[6].buf, &invalid);
        Py_END_ALLOW_THREADS
    }
    release_all(b, 7);
    if (!made) {
        PyErr_SetString(invalid ? PyExc_ValueError : PyExc_MemoryError, "invalid columns of judgments");
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(made, JUDGMENTS, free_judgments);
    if (!capsule)
        judgments_free(made);
    return capsule;
}

/* ---- match_rows ---- */

/* Python's own reading of a number, with the interpreter's lock taken for that long. */
static int read_number(void *context, const uint8_t *text, size_t size, double *value) {
    PyThreadState **state = context;
    char copy[LONGEST_NUMBER + 1], *end;
    if (size > LONGEST_NUMBER)
        return 0;
    memcpy(copy, text, size);
    copy[size] = 0;
    PyEval_RestoreThread(*state);
    *value = PyOS_string_to_double(copy, &end, NULL);
    int failed = PyErr_Occurred() != NULL;
    PyErr_Clear();
    *state = PyEval_SaveThread();
    return !failed && end == copy + size;
}

static PyObject *as_bytes(const struct column *column) {
    return PyBytes_FromStringAndSize((const char *)column->values, (Py_ssize_t)(column->count * sizeof(int64_t)));
}

static PyObject *as_tuple(const struct matches *found) {
    return Py_BuildValue("NNNNNNLLLLL", as_bytes(&found->query), as_bytes(&found->query_hash),
                         as_bytes(&found->length), as_bytes(&found->hit), as_bytes(&found->rank),
                         as_bytes(&found->first), (long long)found->lines, (long long)found->tied,
                         (long long)found->disordered, (long long)found->without_tag, (long long)found->too_wide);
}

/* Lines, the judgments and options; of columns also where the documents begin, the lengths and the scores. */
static PyObject *match(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer b[3] = {{0}};
    PyObject *capsule, *result = NULL;
    int single_precision;
    Py_ssize_t keep, documents = 0;
    if (!PyArg_ParseTuple(arguments, "y*Opn|ny*y*", &b[0], &capsule, &single_precision, &keep, &documents, &b[1], &b[2]))
        return NULL;
    struct judgments *judgments = PyCapsule_GetPointer(capsule, JUDGMENTS);
    if (judgments) {
        struct columns columns = {(size_t)documents, (size_t)b[1].len / 8, (size_t)b[2].len / 8, b[1].buf, b[2].buf};
        PyThreadState *state = PyEval_SaveThread();
        struct options options = {single_precision, keep > 0 ? (size_t)keep : 0, read_number, &state};
        struct matches found;
        enum outcome outcome = match_rows(b[0].buf, (size_t)b[0].len, b[1].obj ? &columns : NULL, judgments, &options, &found);
        PyEval_RestoreThread(state);
        if (outcome == NO_MEMORY)
            PyErr_NoMemory();
        else
            result = outcome == MATCHED ? as_tuple(&found) : Py_NewRef(Py_None);
        matches_free(&found);
    }
    release_all(b, 3);
    return result;
}

/* ---- bucket_lines, group_lines ---- */

/* The result, or None if the lines are not regular. */
static PyObject *grouped(enum outcome outcome, PyObject *result) {
    if (outcome == MATCHED)
        return result;
    Py_DECREF(result);
    return outcome == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
}

static PyObject *group(PyObject *module, PyObject *argument) {
    (void)module;
    Py_buffer block;
    if (PyObject_GetBuffer(argument, &block, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, block.len);
    if (result) {
        uint8_t *into = (uint8_t *)PyBytes_AsString(result);
        enum outcome outcome;
        Py_BEGIN_ALLOW_THREADS
        outcome = group_lines(block.buf, (size_t)block.len, into);
        Py_END_ALLOW_THREADS
        result = grouped(outcome, result);
    }
    PyBuffer_Release(&block);
    return result;
}

/* The lines by bucket, where the buckets end, and how many lines each has. */
static PyObject *buckets_of(const Py_buffer *block, unsigned bits) {
    Py_ssize_t size = (Py_ssize_t)(sizeof(int64_t) << bits);
    PyObject *lines = PyBytes_FromStringAndSize(NULL, block->len);
    PyObject *ends = PyBytes_FromStringAndSize(NULL, size), *rows = PyBytes_FromStringAndSize(NULL, size);
    PyObject *result = lines && ends && rows ? PyTuple_Pack(3, lines, ends, rows) : NULL;
    if (result) {
        uint8_t *into = (uint8_t *)PyBytes_AsString(lines);
        int64_t *to_ends = (int64_t *)(void *)PyBytes_AsString(ends), *to_rows = (int64_t *)(void *)PyBytes_AsString(rows);
        enum outcome outcome;
        Py_BEGIN_ALLOW_THREADS
        outcome = bucket_lines(block->buf, (size_t)block->len, bits, into, to_ends, to_rows);
        Py_END_ALLOW_THREADS
        result = grouped(outcome, result);
    }
    Py_XDECREF(lines);
    Py_XDECREF(ends);
    Py_XDECREF(rows);
    return result;
}

static PyObject *bucket(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer block;
    int bits;
    if (!PyArg_ParseTuple(arguments, "y*i", &block, &bits))
        return NULL;
    PyObject *result = NULL;
    if (bits < 1 || bits > MOST_BUCKET_BITS)
        PyErr_SetString(PyExc_ValueError, "invalid number of bits");
    else
        result = buckets_of(&block, (unsigned)bits);
    PyBuffer_Release(&block);
    return result;
}

/* The number in a text from `start` on, as match_rows reads it, for the tests; None if it is not regular. */
static PyObject *number(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer text;
    Py_ssize_t start;
    if (!PyArg_ParseTuple(arguments, "y*n", &text, &start))
        return NULL;
    double value = 0;
    int known = 0;
    if (start >= 0 && start <= text.len) {
        const uint8_t *base = text.buf;
        enum number_form form = read_decimal(base, base + start, base + text.len, &value);
        known = form == NUMBER_EXACT;
        if (form == NUMBER_LONG) {
            PyThreadState *state = PyEval_SaveThread();
            known = read_number(&state, base + start, (size_t)(text.len - start), &value);
            PyEval_RestoreThread(state);
        }
    }
    PyBuffer_Release(&text);
    return known ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyObject *newlines(PyObject *module, PyObject *argument) {
    (void)module;
    Py_buffer text;
    if (PyObject_GetBuffer(argument, &text, PyBUF_SIMPLE) < 0)
        return NULL;
    size_t count;
    Py_BEGIN_ALLOW_THREADS
    count = count_lines(text.buf, (size_t)text.len);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&text);
    return PyLong_FromSize_t(count);
}

/* ---- shared, distinct ---- */

/* Whether the sizes are those of texts that have all these tokens. */
static int valid_sizes(const Py_buffer *sizes, const Py_buffer *tokens) {
    const int64_t *values = sizes->buf;
    uint64_t total = 0, most = (uint64_t)tokens->len / sizeof(int64_t);
    for (Py_ssize_t at = 0; at < sizes->len / 8; at++) {
        if (values[at] < 0 || (uint64_t)values[at] > most - total)
            return 0;
        total += (uint64_t)values[at];
    }
    return total == most && tokens->len % 8 == 0 && sizes->len % 8 == 0;
}

/* Tokens and sizes of the predictions and of the references, and n where it is not 0; the counts, row after row. */
static PyObject *count_pairs(PyObject *arguments, int n) {
    Py_buffer b[4];
    if (n ? !PyArg_ParseTuple(arguments, "y*y*y*y*i", &b[0], &b[1], &b[2], &b[3], &n)
          : !PyArg_ParseTuple(arguments, "y*y*y*y*", &b[0], &b[1], &b[2], &b[3]))
        return NULL;
    PyObject *result = NULL;
    size_t pairs = (size_t)b[1].len / 8;
    if (b[1].len != b[3].len || !valid_sizes(&b[1], &b[0]) || !valid_sizes(&b[3], &b[2]) || n < 0 || n > 2)
        PyErr_SetString(PyExc_ValueError, "invalid columns of tokens");
    else
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((n ? 3 : 4) * pairs * sizeof(int64_t)));
    if (result) {
        struct token_texts predictions = {b[0].buf, b[1].buf}, references = {b[2].buf, b[3].buf};
        int64_t *counts = (int64_t *)(void *)PyBytes_AsString(result);
        int done;
        Py_BEGIN_ALLOW_THREADS
        done = n ? count_distinct(&predictions, &references, pairs, (unsigned)n, counts)
                 : count_shared(&predictions, &references, pairs, counts);
        Py_END_ALLOW_THREADS
        if (!done) {
            Py_CLEAR(result);
            PyErr_NoMemory();
        }
    }
    release_all(b, 4);
    return result;
}

static PyObject *shared(PyObject *module, PyObject *arguments) {
    (void)module;
    return count_pairs(arguments, 0);
}

static PyObject *distinct(PyObject *module, PyObject *arguments) {
    (void)module;
    return count_pairs(arguments, 1);
}

/* ---- new_pieces, number_pieces ---- */

static void free_pieces(PyObject *capsule) {
    pieces_free(PyCapsule_GetPointer(capsule, PIECES));
}

static PyObject *new_pieces(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_ssize_t seed;
    if (!PyArg_ParseTuple(arguments, "n", &seed))
        return NULL;
    struct pieces *made = pieces_new((uint64_t)seed);
    if (!made)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(made, PIECES, free_pieces);
    if (!capsule)
        pieces_free(made);
    return capsule;
}

/* The numbers of the pieces of a text, and the pieces from number `known` on. */
static PyObject *numbers_of(struct pieces *pieces, const Py_buffer *text, Py_ssize_t known) {
    struct piece_numbers numbers = {NULL, 0, 0};
    PyObject *result = NULL;
    size_t size;
    if (!number_pieces(pieces, text->buf, (size_t)text->len, &numbers)) {
        PyErr_NoMemory();
    } else if (known < 0 || (size_t)known > pieces_count(pieces)) {
        PyErr_SetString(PyExc_ValueError, "more pieces than the table has");
    } else {
        const char *names = (const char *)pieces_from(pieces, (size_t)known, &size);
        result = Py_BuildValue("y#y#", numbers.count ? (const char *)numbers.values : "",
                               (Py_ssize_t)(numbers.count * sizeof(int64_t)), names, (Py_ssize_t)size);
    }
    free(numbers.values);
    return result;
}

static PyObject *pieces(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *capsule;
    Py_buffer text;
    Py_ssize_t known;
    if (!PyArg_ParseTuple(arguments, "Oy*n", &capsule, &text, &known))
        return NULL;
    struct pieces *table = PyCapsule_GetPointer(capsule, PIECES);
    PyObject *result = table ? numbers_of(table, &text, known) : NULL;
    PyBuffer_Release(&text);
    return result;
}

/* ---- mapping_columns ---- */

/* The rows of dictionaries: ids with NUL at the end of each, and values. */
struct rows {
    char *ids;
    size_t size, room;
    double *values;
    size_t count, most;
};

/* Appends an id. 0 if it is not ASCII text or memory is lacking: of other text, UTF-8 would be kept beside it. */
static int append_id(struct rows *rows, PyObject *id) {
    Py_ssize_t size;
    const char *text = PyUnicode_CheckExact(id) ? PyUnicode_AsUTF8AndSize(id, &size) : NULL;
    if (!text || size != PyUnicode_GetLength(id))
        return 0;
    if ((size_t)size >= rows->room - rows->size) {
        size_t room = 2 * (rows->room + (size_t)size + 1);
        char *ids = realloc(rows->ids, room);
        if (!ids)
            return 0;
        rows->ids = ids;
        rows->room = room;
    }
    memcpy(rows->ids + rows->size, text, (size_t)size + 1); /* with the NUL after it */
    rows->size += (size_t)size + 1;
    return 1;
}

static int append_value(struct rows *rows, PyObject *value) {
    if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value))
        return 0;
    double number = PyFloat_AsDouble(value);
    rows->values[rows->count++] = number;
    return number != -1 || !PyErr_Occurred();
}

/* Nothing here runs code of Python, so that no dictionary changes meanwhile; an exception ends the walk. */
static int append_rows(struct rows *rows, PyObject *documents) {
    PyObject *id, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(documents, &place, &id, &value))
        if (rows->count == rows->most || !append_id(rows, id) || !append_value(rows, value))
            return 0;
    return 1;
}

/* The number of rows of a list of dictionaries; -1 if something else is in it. */
static Py_ssize_t count_rows(PyObject *list) {
    Py_ssize_t count = 0;
    for (Py_ssize_t at = 0; at < PyList_Size(list); at++) {
        PyObject *documents = PyList_GetItem(list, at);
        if (!PyDict_CheckExact(documents))
            return -1;
        count += PyDict_Size(documents);
    }
    return count;
}

static PyObject *mapping_columns(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *list, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "O!", &PyList_Type, &list))
        return NULL;
    Py_ssize_t count = count_rows(list);
    if (count < 0)
        return Py_NewRef(Py_None);
    PyObject *values = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double));
    if (!values)
        return NULL;
    struct rows rows = {NULL, 0, 0, (double *)(void *)PyBytes_AsString(values), 0, (size_t)count};
    int regular = 1;
    for (Py_ssize_t at = 0; regular && at < PyList_Size(list); at++)
        regular = append_rows(&rows, PyList_GetItem(list, at));
    PyErr_Clear();
    if (regular && rows.count == rows.most)
        result = Py_BuildValue("y#O", count ? rows.ids : "", (Py_ssize_t)rows.size, values);
    else
        result = Py_NewRef(Py_None);
    free(rows.ids);
    Py_DECREF(values);
    return result;
}

static PyMethodDef METHODS[] = {
    {"index_judgments", index_judgments, METH_VARARGS, "An index of judged queries and documents."},
    {"match_rows", match, METH_VARARGS, "The matches of run lines, or of columns; None if they are not regular."},
    {"bucket_lines", bucket, METH_VARARGS, "Run lines by bits of the hash of the query; None if they are not regular."},
    {"group_lines", group, METH_O, "Run lines by the hash of the query; None if they are not regular."},
    {"count_shared", shared, METH_VARARGS, "What predictions and references share, from the numbers of their tokens."},
    {"count_distinct", distinct, METH_VARARGS, "The distinct n-grams of predictions and references."},
    {"new_pieces", new_pieces, METH_VARARGS, "An empty table of pieces; its hashes depend on the seed."},
    {"number_pieces", pieces, METH_VARARGS, "The numbers of the pieces of a text, and the pieces that are new."},
    {"mapping_columns", mapping_columns, METH_VARARGS, "The ids and values of dictionaries; None if not regular."},
    {"count_lines", newlines, METH_O, "The number of newlines."},
    {"read_number", number, METH_VARARGS, "A number as run lines have it; None if it is in another notation."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
    return PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "steelyard._native", "The compiled kernel.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) {
    return PyModuleDef_Init(&MODULE);
}
