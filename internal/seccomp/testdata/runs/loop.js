for (;;) ;
