/* R looks for R_init_axtile; the Rust library registers its routines in
   R_init_axtile_extendr. This call is also what makes the linker keep it. */
void R_init_axtile_extendr(void *dll);

void R_init_axtile(void *dll)
{
    R_init_axtile_extendr(dll);
}
