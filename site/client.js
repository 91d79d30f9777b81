// The page's end of the worker.

/** A request was cancelled. */
export class Cancelled extends Error {}

/** Servers need not know the type of the file. */
async function compiled() {
  const response = await fetch(new URL("checker.wasm", import.meta.url));
  if (!response.ok) throw new Error(`checker.wasm cannot be loaded: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Asks the checker in a worker. */
export class Checker {
  #module = compiled();
  #worker;
  #open = new Map();
  #next = 0;

  /** Returns the answer of a request; throws the message that an answer has in place of a result. */
  async ask(request) {
    const module = await this.#module;
    this.#worker ??= this.#start(module);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  /** Ends all open requests. */
  cancel() {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#close(new Cancelled("cancelled"));
  }

  #close(error) {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  #start(module) {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      const request = this.#open.get(data.id);
      this.#open.delete(data.id);
      if (data.error === undefined) {
        request?.resolve(data.answer);
        return;
      }
      // After a panic the module's memory is not to be trusted.
      worker.terminate();
      this.#worker = undefined;
      request?.reject(new Error(data.error));
      this.#close(new Error(data.error));
    };
    worker.onerror = (event) => this.#close(new Error(event.message));
    worker.postMessage(module);
    return worker;
  }
}
