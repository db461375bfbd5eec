// What Sources/Duration.swift exports for C.
#ifndef SYRINX_H
#define SYRINX_H

// The length of a sound file in seconds; below 0 if it cannot be read, with the reason on stderr.
double syrinx_duration_seconds(const char *path);

#endif
