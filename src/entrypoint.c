/* R looks for R_init_axtile; the Rust library registers its routines in
   R_init_axtile_extendr, and its vector classes, which need the DllInfo that
   extendr does not hand on. These calls are also what makes the linker keep
   the library. */
void R_init_axtile_extendr(void *dll);
void axtile_register_altrep(void *dll);

void R_init_axtile(void *dll)
{
    R_init_axtile_extendr(dll);
    axtile_register_altrep(dll);
}
