// The functions of the header are in Sources/DeviceKitC.
#include "devicekit.h"
