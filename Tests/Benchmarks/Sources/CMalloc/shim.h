// Swift's own map of the C library leaves this header out.
#include <malloc.h>
