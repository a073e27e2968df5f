// A kernel has everything of this header that is meant for it without it.
#pragma once
