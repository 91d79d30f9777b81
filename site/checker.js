// The checker: a WebAssembly module that answers requests in JSON. Used by the worker and by the tests in Node.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns a function that answers one request with a compiled module. */
export async function load(module) {
  const { exports } = await WebAssembly.instantiate(module, {});
  return (request) => {
    const bytes = encoder.encode(JSON.stringify(request));
    const address = exports.input(bytes.length);
    new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
    try {
      exports.answer();
    } catch (error) {
      throw new Error(`${error.message}: ${output(exports)}`);
    }
    return JSON.parse(output(exports));
  };
}

function output({ memory, output, output_len }) {
  const address = output();
  return decoder.decode(new Uint8Array(memory.buffer, address, output_len()));
}
