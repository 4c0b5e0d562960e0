// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of C++ that are known: of templates, of a method, and of a function that ends by an
// exception.
#include "test/e2e/profile/programs/truth.h"

#define KEPT __attribute__((noinline))

static truth of_first, of_second, of_method, of_thrown;

template <long Ns> KEPT static void part(truth &truth)
{
    truth.within += truth_burn(Ns);
}

struct box {
    KEPT void method(truth &truth)
    {
        truth.within += truth_burn(300000);
    }
};

KEPT static void thrown(truth &truth)
{
    truth.within += truth_burn(1000000);
    throw 1;
}

KEPT static void next(int x)
{
    __asm__ volatile("" : "+r"(x));
}

// The exit of what has thrown may never come: it is known to be over when the next call begins.
KEPT static void caught(truth &truth)
{
    try {
        thrown(truth);
    } catch (int x) {
        next(x);
    }
}

int main()
{
    box box;
    for (int i = 0; i < 100; i++) {
        TRUTH_OF(&of_first, part<100000>(of_first));
        TRUTH_OF(&of_second, part<400000>(of_second));
        TRUTH_OF(&of_method, box.method(of_method));
        TRUTH_OF(&of_thrown, caught(of_thrown));
    }
    truth_print(0, "void part<100000l>(truth&)<main<init", &of_first);
    truth_print(0, "void part<400000l>(truth&)<main<init", &of_second);
    truth_print(0, "box::method(truth&)<main<init", &of_method);
    truth_print(0, "thrown(truth&)<caught(truth&)<main<init", &of_thrown);
    return 0;
}
