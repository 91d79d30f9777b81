// Programs that `tma exec` runs: the first argument selects one.
#include <cstdio>
#include <cstring>
#include <unistd.h>

int vector_add();
int symbols();
int memory();
int tensor_copy(bool broken_map);
int freed_map();
int freed(const char* how);
int cluster();
int cooperative();
int dependent(const char* how);
int reverse();
int streams();
int graphs();
int graph_memory();
int conditionals();
int conditional_race();
int errors();
int driver(const char* ptx);
int unsupported();
int properties();
int heap();
int lacks();
int textures();
int tiles(const char* how);
int wrong_textures();
int sides();
int refused_memory();
int broken_ptx();
int graph_nodes();
int hints();
int extremes();
int locks();

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    auto is = [name](const char* other) { return strcmp(name, other) == 0; };
    if (is("vector_add")) return vector_add();
    if (is("symbols")) return symbols();
    if (is("memory")) return memory();
    if (is("tensor_copy")) return tensor_copy(false);
    if (is("broken_map")) return tensor_copy(true);
    if (is("freed_map")) return freed_map();
    if (is("freed")) return freed(arguments[2]);
    if (is("cluster")) return cluster();
    if (is("cooperative")) return cooperative();
    if (is("dependent")) return dependent(arguments[2]);
    if (is("reverse")) return reverse();
    if (is("streams")) return streams();
    if (is("graphs")) return graphs();
    if (is("graph_memory")) return graph_memory();
    if (is("conditionals")) return conditionals();
    if (is("conditional_race")) return conditional_race();
    if (is("errors")) return errors();
    if (is("driver")) return driver(arguments[2]);
    if (is("unsupported")) return unsupported();
    if (is("properties")) return properties();
    if (is("heap")) return heap();
    if (is("lacks")) return lacks();
    if (is("textures")) return textures();
    if (is("tiles")) return tiles(arguments[2]);
    if (is("wrong_textures")) return wrong_textures();
    if (is("sides")) return sides();
    if (is("refused_memory")) return refused_memory();
    if (is("broken_ptx")) return broken_ptx();
    if (is("graph_nodes")) return graph_nodes();
    if (is("extremes")) return extremes();
    if (is("locks")) return locks();
    if (is("hints")) return hints();
    if (is("exit")) return 42;
    if (is("wait")) {
        vector_add();
        fflush(stdout);
        pause();
    }
    if (is("crash")) __builtin_trap();
    printf("there is no program %s\n", name);
    return 1;
}
