// A kernel of one's own: an empty one, and the launch file that fits its parameters.

/** The texts to begin with. */
export const OWN = {
  id: "own",
  title: "Your own kernel",
  group: "Paste",
  about: "Paste PTX for sm_90 or sm_90a into the editor, and let the page propose a launch file in the tab Launch.",
  toml: "",
  modules: [{
    name: "kernel.ptx",
    text: `.version 8.6
.target sm_90a
.address_size 64

.visible .entry kernel(.param .u64 numbers)
{
	.reg .b32 %thread;
	.reg .b64 %at;

	ld.param.u64 %at, [numbers];
	mov.u32 %thread, %tid.x;
	mad.wide.u32 %at, %thread, 4, %at;
	st.global.u32 [%at], %thread;
	ret;
}
`,
  }],
};

const BUFFER = 'type = "f32"\nlength = 4096\ncontents = "iota"\n';
const MATRIX = 'type = "f32"\ndims = [64, 64] # innermost first\ncontents = "iota"\n';
const SCALARS = { 1: "u8", 2: "u16", 4: "u32" };

/** Returns a launch file for the first kernel of a module, to be completed by hand. */
export function propose(name, { entry, parameters, block, cluster }) {
  const tables = [];
  const values = parameters.map(({ name: parameter, bytes, is_map: isMap }, at) => {
    const short = parameter.replace(`${entry}_`, "");
    const key = /^\w+$/.test(short) ? short : `parameter_${at}`;
    if (isMap) {
      tables.push(`[buffers.of_${key}]\n${MATRIX}`, `[maps.${key}]\nbuffer = "of_${key}"\nbox_dims = [32, 8]\n`);
      return `{ map = "${key}" }`;
    }
    if (SCALARS[bytes]) return `{ ${SCALARS[bytes]} = 16 }`;
    tables.push(`[buffers.${key}]\n${BUFFER}`);
    return `{ buffer = "${key}" }`;
  });
  const isWhole = block && block.reduce((all, side) => all * side) <= 256;
  const blocks = cluster ? cluster.reduce((all, side) => all * side) : 1;
  return [
    `module = "${name}"\n`,
    ...tables,
    "[[launch]]",
    `entry = "${entry}"`,
    `grid = ${blocks}`,
    `block = ${isWhole ? `[${block.join(", ")}]` : 128}`,
    `arguments = [${values.join(", ")}]`,
    "",
  ].join("\n");
}
