// The whole state in the fragment of a link: JSON, compressed, in base64url.

async function through(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Returns the fragment of a state. */
export async function toFragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  const text = Array.from(small, (byte) => String.fromCharCode(byte)).join("");
  return `#s=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Returns the state of a fragment; `undefined` if it has none. Throws if it is damaged. */
export async function fromFragment(fragment) {
  const [, text] = fragment.match(/^#s=([\w-]+)$/) ?? [];
  if (text === undefined) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const wide = await through(bytes, new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(wide));
}
