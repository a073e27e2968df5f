// A stand-in for NCCL, for tests of what calls it: types and signatures as in nccl.h of 2.28, devices and queues of no account, and
// "device memory" of the host. A broadcast copies when the group ends that queued it; calls are written to a log.
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

typedef struct { char internal[128]; } ncclUniqueId;
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int blocking;
    int cgaClusterSize;
    int minCTAs;
    int maxCTAs;
    const char *netName;
    int splitShare;
    int trafficClass;
    const char *commName;
    int collnetEnable;
    int CTAPolicy;
    int shrinkShare;
    int nvlsCTAs;
    int nChannelsPerNetPeer;
    int nvlinkCentricSched;
} ncclConfig_t;

struct Communicator {
    int rank, size;
    int in_use;
    int busy;  // How often it is still to answer that it is at work.
};
typedef Communicator *ncclComm_t;

struct Broadcast {
    const void *from;
    void *to;
    size_t bytes;
    int root;
    ncclComm_t comm;
};

namespace {
Communicator communicators[16];
int communicator_count, depth, broadcast_count;
Broadcast broadcasts[64];
size_t length;
}  // namespace

extern "C" {
// What a test sets, and reads.
int answer_version = 22809, answer_init = 0, answer_broadcast = 0, answer_group_end = 0, answer_async = 0, busy_for = 0;
const char *answer_last_error = "";
char written[1 << 16];

static void log_call(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(written + length, sizeof written - length, format, arguments);
    va_end(arguments);
}

int ncclGetVersion(int *version) { return *version = answer_version, 0; }

int ncclGetUniqueId(ncclUniqueId *id) {
    for (int i = 0; i < 128; i++) id->internal[i] = (char)(200 - i);
    return 0;
}

const char *ncclGetErrorString(int code) {
    return code == 2   ? "unhandled system error"
           : code == 4 ? "invalid argument"
           : code == 6 ? "remote process exited or there was a network error"
                       : "another error";
}

const char *ncclGetLastError(ncclComm_t) { return answer_last_error; }

int ncclGroupStart() {
    depth++;
    log_call("start\n");
    return 0;
}

int ncclGroupEnd() {
    depth--;
    log_call("end\n");
    for (int i = 0; i < broadcast_count; i++)
        for (int j = 0; j < broadcast_count; j++)
            if (broadcasts[j].comm->rank == broadcasts[j].root && broadcasts[i].root == broadcasts[j].root)
                memmove(broadcasts[i].to, broadcasts[j].from, broadcasts[i].bytes);
    broadcast_count = 0;
    int busy = 0;
    for (int i = 0; i < communicator_count; i++)
        if (communicators[i].in_use) busy |= communicators[i].busy = busy_for;
    return answer_group_end ? answer_group_end : busy ? 7 : 0;
}

int ncclCommInitRankConfig(ncclComm_t *comm, int size, ncclUniqueId id, int rank, ncclConfig_t *c) {
    int id_is_right = 1;
    for (int i = 0; i < 128; i++) id_is_right &= id.internal[i] == (char)(200 - i);
    int configuration_is_right =
        c->size == sizeof *c && c->magic == 0xcafebeef && c->version == 22800 && c->blocking == 0 && !c->netName && !c->commName &&
        c->cgaClusterSize == INT_MIN && c->minCTAs == INT_MIN && c->maxCTAs == 4 && c->splitShare == INT_MIN &&
        c->trafficClass == INT_MIN && c->collnetEnable == INT_MIN && c->CTAPolicy == INT_MIN && c->shrinkShare == INT_MIN &&
        c->nvlsCTAs == INT_MIN && c->nChannelsPerNetPeer == INT_MIN && c->nvlinkCentricSched == INT_MIN;
    log_call("init %d of %d%s%s%s\n", rank, size, depth ? "" : " outside of a group", id_is_right ? "" : " with another id",
        configuration_is_right ? "" : " with another configuration");
    if (answer_init) return answer_init;
    *comm = &communicators[communicator_count++];
    **comm = {rank, size, 1, 0};
    return 0;
}

int ncclBroadcast(const void *from, void *to, size_t bytes, int type, int root, ncclComm_t comm, void *stream) {
    log_call("broadcast %d: %zu of type %d from %d on %zu%s\n", comm->rank, bytes, type, root, (size_t)stream,
        depth ? "" : " outside of a group");
    if (answer_broadcast) return answer_broadcast;
    broadcasts[broadcast_count++] = {from, to, bytes, root, comm};
    return 0;
}

int ncclCommGetAsyncError(ncclComm_t comm, int *state) {
    *state = answer_async ? answer_async : comm->busy > 0 ? 7 : 0;
    comm->busy -= comm->busy > 0;
    return comm->in_use ? 0 : 4;
}

int ncclCommDestroy(ncclComm_t comm) {
    log_call("destroy %d%s\n", comm->rank, comm->in_use ? "" : " again");
    return comm->in_use = 0;
}

int ncclCommAbort(ncclComm_t comm) {
    log_call("abort %d%s\n", comm->rank, comm->in_use ? "" : " again");
    return comm->in_use = 0;
}
}
