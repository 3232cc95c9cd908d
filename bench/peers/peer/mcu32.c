/* Decisions about the rows of rows.h on a small processor, in floating point or, with FIXED, in integers: of floats (1) or
   of rows that are integers already (2). It prints the ticks of all decisions and those of a known loop, then for each row
   the class and the bits of its decision values, and END. With SIZE it only decides, for the size of the program. HEADER
   is the model's.

   Emulators that take a nanosecond for every instruction count them by their timers. LOOPS rounds of a loop of two
   instructions say what a tick is worth. */
#include <stdint.h>
#include <string.h>
#include HEADER
#include "rows.h"
#define LOOPS 100000

#ifdef FIXED
#define VALUE int32_t
static int16_t whole[m_FEATURES];
static const int16_t *convert(const float *row)
{
	int k;
	for (k = 0; k < m_FEATURES; k++)
		whole[k] = m_feature(k, row[k]);
	return whole;
}
#if FIXED == 1
#define ROW float
static int decide(const float *row) { return (int)m_predict(convert(row), m_FEATURES); }
#else
#define ROW int16_t
#define INTEGERS
static int decide(const int16_t *row) { return (int)m_predict(row, m_FEATURES); }
#endif
#else
#define VALUE float
#define ROW float
#define convert(row) (row)
#define decide m_predict
#endif

volatile int out;

#ifdef SIZE
volatile ROW in[m_FEATURES];

int main(void)
{
	for (;;) {
		ROW row[m_FEATURES];
		int k;
		for (k = 0; k < m_FEATURES; k++)
			row[k] = in[k];
		out = decide(row);
	}
}
#else

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
static void put(char c)
{
	while (!(UCSR0A & (1 << UDRE0)))
		;
	UDR0 = c;
}
static void start(void) { UCSR0B = 1 << TXEN0; }
static uint32_t ticks(void) { return 0; }
#define LOOP ""
static const float *at(int r) /* rows are in flash */
{
	static float row[m_FEATURES];
	int k;
	for (k = 0; k < m_FEATURES; k++)
		row[k] = SPARSEKM_REAL(&given[r][k]);
	return row;
}
#else
#include <stdio.h>
#define put(c) putchar(c)
#define at(r) given[r]
#if defined __ARM_ARCH_PROFILE && __ARM_ARCH_PROFILE == 'M'
#define SYSTICK ((volatile uint32_t *)0xE000E010) /* control, reload, value: 24 bits, downwards */
static void start(void)
{
	SYSTICK[1] = 0xFFFFFF;
	SYSTICK[2] = 0;
	SYSTICK[0] = 5;
}
static uint32_t ticks(void) { return 0xFFFFFF & -SYSTICK[2]; }
#define LOOP ".syntax unified\n1: subs %0, %0, #1\n\tbne 1b"
#elif defined __riscv
static uint32_t started;
static uint32_t retired(void)
{
	uint32_t n;
	__asm__ volatile(".insn i 0x73, 2, %0, x0, -1022" : "=r"(n)); /* csrr instret, which assemblers want zicsr for */
	return n;
}
static void start(void) { started = retired(); }
static uint32_t ticks(void) { return retired() - started; }
#define LOOP "1: addi %0, %0, -1\n\tbnez %0, 1b"
#else
static void start(void) {}
static uint32_t ticks(void) { return 0; }
#define LOOP ""
#endif
#endif

static void number(uint32_t v)
{
	char b[12];
	int i = 0;
	do {
		b[i++] = (char)('0' + v % 10);
	} while (v /= 10);
	while (i)
		put(b[--i]);
	put(' ');
}

#ifdef INTEGERS
static int16_t integers[ROWS][m_FEATURES];
#define ready(r) integers[r]
#else
#define ready(r) at(r)
#endif

int main(void)
{
	uint32_t took, unit, count = LOOPS;
	int r, j;
#ifdef INTEGERS
	for (r = 0; r < ROWS; r++)
		memcpy(integers[r], convert(at(r)), sizeof integers[r]);
#endif
	start();
	__asm__ volatile(LOOP : "+r"(count) : : "cc");
	unit = ticks();
	start();
	for (r = 0; r < ROWS; r++)
		out = decide(ready(r));
	took = ticks();
	number(took);
	number(unit);
	for (r = 0; r < ROWS; r++) {
		VALUE f[m_MODELS];
		uint32_t bits;
#ifdef INTEGERS
		m_decide(integers[r], f);
#else
		m_decide(convert(at(r)), f);
#endif
		number((uint32_t)decide(ready(r)));
		for (j = 0; j < m_MODELS; j++) {
			memcpy(&bits, &f[j], 4);
			number(bits);
		}
	}
	put('E');
	put('N');
	put('D');
	put('\n');
#ifdef __AVR__
	cli();
	sleep_enable();
	sleep_cpu();
#endif
	return 0;
}
#endif
