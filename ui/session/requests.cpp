#include "ui/session/requests.h"
