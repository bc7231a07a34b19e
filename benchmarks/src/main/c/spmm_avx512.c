/* The yardstick of Spmm: y = a x for rows begin..end-1 of a matrix in compressed sparse rows with
 * 64-bit row pointers, 32-bit column ids and float32 values, x and y row-major with f columns.
 *
 * Eight zmm accumulators hold 128 columns of the row; the rows of x that entries some way ahead
 * will read are prefetched, across the ends of rows. */
#include <immintrin.h>
#include <stdint.h>

/* Entries ahead, the wider the stripe the fewer. On an R-MAT graph of 2^20 vertices, half and twice
 * as many were 9 to 25 % slower with one and two vectors; with four and eight, twice as many gained
 * about 3 %. */
#define AHEAD_1 32
#define AHEAD_2 24
#define AHEAD_4 12
#define AHEAD_8 8

#define STRIPE(LANES, AHEAD)                                                                      \
  static void stripe_##LANES(const int64_t *restrict row_pointers, const int32_t *restrict columns, \
                             const float *restrict values, const float *restrict x,               \
                             float *restrict y, int64_t f, int64_t row, int64_t at,               \
                             int64_t entries, __mmask16 last) {                                   \
    __m512 sum[LANES];                                                                            \
    _Pragma("GCC unroll 8") for (int v = 0; v < LANES; v++) sum[v] = _mm512_setzero_ps();         \
    int64_t end = row_pointers[row + 1];                                                          \
    for (int64_t e = row_pointers[row]; e < end; e++) {                                           \
      int64_t ahead = e + AHEAD < entries ? e + AHEAD : entries - 1;                              \
      const float *next = x + columns[ahead] * f + at;                                            \
      const float *source = x + columns[e] * f + at;                                              \
      __m512 value = _mm512_set1_ps(values[e]);                                                   \
      _Pragma("GCC unroll 8") for (int v = 0; v < LANES; v++) {                                   \
        _mm_prefetch((const char *)(next + 16 * v), _MM_HINT_T0);                                 \
        __mmask16 mask = v == LANES - 1 ? last : (__mmask16)0xffff;                               \
        sum[v] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, source + 16 * v), value, sum[v]);    \
      }                                                                                           \
    }                                                                                             \
    float *target = y + row * f + at;                                                             \
    _Pragma("GCC unroll 8") for (int v = 0; v < LANES; v++) {                                     \
      _mm512_mask_storeu_ps(target + 16 * v, v == LANES - 1 ? last : (__mmask16)0xffff, sum[v]);  \
    }                                                                                             \
  }

STRIPE(1, AHEAD_1)
STRIPE(2, AHEAD_2)
STRIPE(4, AHEAD_4)
STRIPE(8, AHEAD_8)

void spmm_avx512(const int64_t *row_pointers, const int32_t *columns, const float *values,
                 const float *x, float *y, int64_t f, int64_t rows, int64_t begin, int64_t end) {
  int64_t entries = row_pointers[rows];
  for (int64_t row = begin; row < end; row++) {
    for (int64_t at = 0; at < f;) {
      int64_t left = f - at;
      int64_t vectors = (left + 15) / 16;
      int64_t taken = vectors >= 8 ? 8 : vectors >= 4 ? 4 : vectors >= 2 ? 2 : 1;
      __mmask16 last = left >= 16 * taken ? 0xffff : (__mmask16)((1u << (left % 16)) - 1);
      switch (taken) {
        case 8: stripe_8(row_pointers, columns, values, x, y, f, row, at, entries, last); break;
        case 4: stripe_4(row_pointers, columns, values, x, y, f, row, at, entries, last); break;
        case 2: stripe_2(row_pointers, columns, values, x, y, f, row, at, entries, last); break;
        default: stripe_1(row_pointers, columns, values, x, y, f, row, at, entries, last);
      }
      at += 16 * taken;
    }
  }
}
