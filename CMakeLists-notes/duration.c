// Prints how long a sound file is: duration FILE
#include <stdio.h>
#include <syrinx.h>

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: duration FILE\n");
    return 64;
  }
  double seconds = syrinx_duration_seconds(arguments[1]);
  if (seconds < 0) return 1;
  printf("%.3f s\n", seconds);
  return 0;
}
