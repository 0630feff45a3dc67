"""
Machines in words; a test can make any of them "the host".

A description answers what `static_runtime.runtime.machine.host` asks of a machine:
triple, features, caches and cores. The features are those of LLVM's tables of
processors, in the form in which LLVM tells those of the host. `as_host.py` puts one in
its place; this file imports nothing of the house, since a process that does so must not
have either.
"""

from dataclasses import dataclass, replace

VARIABLE = "STATIC_RUNTIME_TEST_HOST"
"""Names the host of processes that a test starts; `described/` reads it."""

BASE = "64bit cmov cx8 fxsr mmx sse sse2"
NEHALEM = f"{BASE} crc32 cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3"
SHARED = (
    f"{NEHALEM} aes avx avx2 bmi bmi2 f16c fma fsgsbase invpcid lzcnt movbe pclmul "
    "rdrnd xsave xsaveopt"
)
HASWELL = SHARED.replace(" aes", "")
LATER = f"{SHARED} adx clflushopt clwb pku prfchw rdseed xsavec xsaves"
ZEN_3 = f"{LATER} clzero mwaitx rdpid rdpru sha sse4a vaes vpclmulqdq wbnoinvd"
SKYLAKE_SP = f"{LATER} avx512bw avx512cd avx512dq avx512f avx512vl"
ICE_LAKE = (
    "avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
    "avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq gfni"
)
ZEN_4 = f"{ZEN_3} {ICE_LAKE} avx512bf16 shstk"
SAPPHIRE_RAPIDS = (
    f"{LATER} {ICE_LAKE} amx-bf16 amx-int8 amx-tile avx512bf16 avx512fp16 avxvnni "
    "cldemote enqcmd movdir64b movdiri pconfig ptwrite rdpid serialize sha shstk "
    "tsxldtrk uintr vaes vpclmulqdq waitpkg wbnoinvd"
)
ALDER_LAKE = (
    f"{LATER} avxvnni cldemote gfni movdir64b movdiri pconfig ptwrite rdpid serialize "
    "sha shstk vaes vpclmulqdq waitpkg"
)
NEOVERSE_N1 = "aes crc fp-armv8 lse neon sha2"
NEOVERSE_V1 = f"{NEOVERSE_N1} dotprod i8mm"

NEVER_CHOSEN = frozenset(
    (
        "clflushopt cldemote clwb clzero enqcmd fsgsbase invpcid movdir64b movdiri "
        "mwaitx pconfig pku ptwrite rdpid rdpru rdrnd rdseed serialize shstk sse4a "
        "tsxldtrk uintr waitpkg wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split()
)
"""
Features whose instructions LLVM never chooses for our text: system instructions, and
the shuffles and stores of SSE4a. So code for a machine that has them runs without.
"""


def text_of(features: str, known: str) -> str:
    """LLVM's text of a machine that has these features of those that it asks for."""
    found = set(features.split())
    return ",".join(
        f"{'+' if each in found else '-'}{each}"
        for each in sorted(found | set(known.split()))
    )


def x86_64(features: str) -> str:
    """The text of an x86-64 with these features."""
    known = f"{ZEN_4} {SAPPHIRE_RAPIDS} avx10.1 avx512vp2intersect fma4 rtm xop"
    return text_of(features, known)


@dataclass(frozen=True)
class Description:
    """A machine in words."""

    cpu: str
    features: str
    caches: tuple[int | None, int | None]
    threads: int = 4
    triple: str = "x86_64-unknown-linux-gnu"


HASWELL_HOST = Description("haswell", x86_64(HASWELL), (32, 256))

HOSTS = {
    "no-avx": Description("nehalem", x86_64(NEHALEM), (32, 256)),
    "haswell": HASWELL_HOST,
    "zen-3": Description("znver3", x86_64(ZEN_3), (32, 512)),
    "alder-lake": Description("alderlake", x86_64(ALDER_LAKE), (48, 1280)),
    "skylake-sp": Description("skylake-avx512", x86_64(SKYLAKE_SP), (32, 1024)),
    "zen-4": Description("znver4", x86_64(ZEN_4), (32, 1024)),
    "sapphire-rapids": Description(
        "sapphirerapids", x86_64(SAPPHIRE_RAPIDS), (48, 2048)
    ),
    "neoverse-n1": Description(
        "neoverse-n1",
        text_of(NEOVERSE_N1, "sve sve2"),
        (64, 1024),
        triple="aarch64-unknown-linux-gnu",
    ),
    "neoverse-v1": Description(
        "neoverse-v1",
        text_of(NEOVERSE_V1, "sve sve2"),
        (64, 1024),
        triple="aarch64-unknown-linux-gnu",
    ),
    "one-core": replace(HASWELL_HOST, threads=1),
    "sixteen-cores": replace(HASWELL_HOST, threads=16),
    "caches-unknown": replace(HASWELL_HOST, caches=(None, None)),
}
"""The descriptions by name."""
