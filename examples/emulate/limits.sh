#!/bin/sh
# Measures `tma emulate` on large and endless inputs: peak memory, processor time, verdict.
# limits.sh TMA, where TMA is the program. It needs GNU time at /usr/bin/time and 4 GiB of memory.
set -eu
tma=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

measure() {
    what=$1
    shift
    /usr/bin/time -o time -f '%M %U %S' "$tma" emulate "$@" >out 2>&1 || true
    verdict=$(grep -oE '^(clean|findings|error)' out | tail -1)
    awk -v what="$what" -v verdict="$verdict" \
        'END { printf "| %s | %d MiB | %.1f s | `%s` |\n", what, $1 / 1024, $2 + $3, verdict }' time
}

# kernel BODY: a module with one kernel.
kernel() {
    printf '.version 8.6\n.target sm_90a\n.address_size 64\n%s\n' "$1"
    printf '.visible .entry k(.param .u64 numbers)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n'
    cat
    printf 'ret;\n}\n'
}

launch() {
    printf 'module = "%s.ptx"\nbuffers.numbers = { type = "u32", length = %s, contents = "iota" }\n' "$1" "$2"
    printf '[launch]\nentry = "k"\ngrid = 1\nblock = 1\narguments = [{ buffer = "numbers" }]\n'
}

kernel '' <<END >add.ptx
ld.param.u64 %rd1, [numbers]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 5; st.global.u32 [%rd1], %r1;
END
launch add 268435456 >buffer.toml
launch add 268435456 >expected.toml
printf '[expect]\nbuffer = "numbers"\nfirst = 1\ncontents = "unchanged"\n' >>expected.toml
measure '1 GiB buffer' buffer.toml
measure '1 GiB buffer, compared with what it held' expected.toml
sed 's/"iota"/{ file = "large" }/' expected.toml >file.toml
head -c 1073741824 /dev/zero >large
measure '1 GiB buffer from a file, compared' file.toml
rm large

yes 'add.s32 %r1, %r2, 5;' | head -c 20999979 | kernel '' >long.ptx
launch long 1 >long.toml
measure '21 MB of PTX, a million instructions' long.toml

kernel '.extern .func (.param .b32 d) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[7] = {97, 98, 99, 100, 101, 10, 0};' <<END >prints.ptx
mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1;
AGAIN: {
.param .b64 format; .param .b64 arguments; .param .b32 d;
st.param.b64 [format], %rd1; st.param.b64 [arguments], 0;
call (d), vprintf, (format, arguments);
}
bra AGAIN;
END
launch prints 1 >prints.toml
measure '`printf` without end, 10 million steps' prints.toml --max-steps 10000000

kernel '.func f() { call f, (); ret; }' <<END >deep.ptx
call f, ();
END
launch deep 1 >deep.toml
measure 'a function that calls itself without end' deep.toml

{ yes '{' | head -n 1000000; yes '}' | head -n 1000000; } | kernel '' >nested.ptx
launch nested 1 >nested.toml
measure 'a million braces, each in the one before' nested.toml

measure '1000 seeds of `add_one.toml`' "$here/add_one.toml" --seeds 0..1000
measure '1000 seeds of `negate_tile.toml`' "$here/negate_tile.toml" --seeds 0..1000
