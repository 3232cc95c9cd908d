/* Names for types with const, under which exported Go functions have them. */
#include <stdlib.h>

#include "sparsekm.h"

typedef const char skm_text;
typedef const void *skm_data;
typedef const double skm_numbers;
typedef const skm_samples skm_the_samples;
typedef const skm_watch skm_the_watch;
typedef const skm_pool skm_the_pool;
typedef const skm_column skm_the_column;
