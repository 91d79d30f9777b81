/* A driver that knows what its devices are, and nothing else. The environment says what they are. */
#include <stdio.h>
#include <stdlib.h>

static int number(const char *name, int usual) {
    const char *text = getenv(name);
    return text ? atoi(text) : usual;
}

int cuDriverGetVersion(int *version) { *version = number("FAKE_VERSION", 13000); return 0; }
int cuInit(unsigned flags) { return number("FAKE_INIT", (int)flags); }
int cuDeviceGetCount(int *count) { *count = number("FAKE_COUNT", 1); return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)(80 - device) << 30; return 0; }

int cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Fake %d", device);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 16: *value = 132; return 0;
    case 36: *value = 2619000; return 0;
    case 37: *value = 5120; return 0;
    case 38: *value = 50 << 20; return 0;
    case 75: *value = number("FAKE_MAJOR", 9) + device; return 0;
    case 76: *value = 0; return 0;
    case 97: *value = 232448; return 0;
    default: return 1;
    }
}
