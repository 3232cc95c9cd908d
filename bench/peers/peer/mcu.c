/* One decision on an AVR, with the feature values from memory that the compiler knows nothing of. With CYCLES
   it prints how many clock cycles one call took, as timer 1 counts them in steps of 64. HEADER is ours (m_predict; in integers with FIXED)
   or what m2cgen writes (score), CLASSES then the number that it scores, 1 for two classes. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include HEADER
volatile float in[FEATURES];
volatile int out;

#ifdef CLASSES
static int decide(float *x)
{
#if CLASSES == 1
	return score(x) > 0;
#else
	float s[CLASSES];
	int i, best = 0;
	score(x, s);
	for (i = 1; i < CLASSES; i++)
		if (s[i] > s[best])
			best = i;
	return best;
#endif
}
#elif defined FIXED /* features are converted first, or are integers already */
#if FIXED == 1
#define ROW float
static int decide(float *x)
{
	int16_t q[FEATURES];
	int k;
	for (k = 0; k < FEATURES; k++)
		q[k] = m_feature(k, x[k]);
	return m_predict(q, FEATURES);
}
#else
#define ROW int16_t
#define decide(x) m_predict(x, FEATURES)
#endif
#else
#define decide m_predict
#endif
#ifndef ROW
#define ROW float
#endif

#ifdef CYCLES
static void put(char c)
{
	while (!(UCSR0A & (1 << UDRE0)))
		;
	UDR0 = c;
}

static void number(unsigned long v)
{
	char b[12];
	int i = 0;
	do {
		b[i++] = '0' + v % 10;
	} while (v /= 10);
	while (i)
		put(b[--i]);
}
#endif

int main(void)
{
	ROW x[FEATURES];
	int k;
	for (k = 0; k < FEATURES; k++)
		x[k] = (ROW)(in[k] + 0.1f * k);
#ifdef CYCLES
	UCSR0B = 1 << TXEN0;
	TCCR1A = 0;
	TCCR1B = 3;
	TCNT1 = 0;
	out = decide(x);
	unsigned t = TCNT1;
	number((unsigned long)t * 64);
	put('\n');
	cli();
	sleep_enable();
	sleep_cpu();
#else
	for (;;)
		out = decide(x);
#endif
	return 0;
}
