;; The edit distance of two texts: how many code units have to be inserted, removed or replaced.
;;
;; The caller writes the first text at 0 and the second after it, as 16-bit units, and calls distance with their lengths.
;; Behind them, aligned to four bytes, one row of the table is kept.
(module
  (memory (export "memory") 1)

  ;; Grows the memory until it holds bytes; answers 0, or -1 when the host refuses.
  (func (export "reserve") (param $bytes i32) (result i32)
    (local $missing i32)
    (local.set $missing
      (i32.sub
        (i32.shr_u (i32.add (local.get $bytes) (i32.const 65535)) (i32.const 16))
        (memory.size)))
    (if (i32.le_s (local.get $missing) (i32.const 0)) (then (return (i32.const 0))))
    (select (i32.const -1) (i32.const 0)
      (i32.eq (memory.grow (local.get $missing)) (i32.const -1))))

  (func (export "distance") (param $m i32) (param $n i32) (result i32)
    (local $row i32) (local $b i32) (local $i i32) (local $j i32)
    (local $left i32) (local $corner i32) (local $above i32) (local $cost i32) (local $at i32)
    (local.set $b (i32.shl (local.get $m) (i32.const 1)))
    (local.set $row
      (i32.and
        (i32.add (i32.shl (i32.add (local.get $m) (local.get $n)) (i32.const 1)) (i32.const 3))
        (i32.const -4)))

    ;; The first row: distances from nothing.
    (loop $first
      (i32.store
        (i32.add (local.get $row) (i32.shl (local.get $j) (i32.const 2)))
        (local.get $j))
      (local.set $j (i32.add (local.get $j) (i32.const 1)))
      (br_if $first (i32.le_u (local.get $j) (local.get $n))))

    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $i) (local.get $m)))
        (local.set $corner (local.get $i))
        (local.set $left (i32.add (local.get $i) (i32.const 1)))
        (i32.store (local.get $row) (local.get $left))
        (local.set $j (i32.const 0))
        (block $end
          (loop $cells
            (br_if $end (i32.ge_u (local.get $j) (local.get $n)))
            (local.set $at (i32.add (local.get $row) (i32.shl (i32.add (local.get $j) (i32.const 1)) (i32.const 2))))
            (local.set $above (i32.load (local.get $at)))
            (local.set $cost
              (i32.add (local.get $corner)
                (i32.ne
                  (i32.load16_u (i32.shl (local.get $i) (i32.const 1)))
                  (i32.load16_u (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 1)))))))
            (if (i32.lt_u (i32.add (local.get $left) (i32.const 1)) (local.get $cost))
              (then (local.set $cost (i32.add (local.get $left) (i32.const 1)))))
            (if (i32.lt_u (i32.add (local.get $above) (i32.const 1)) (local.get $cost))
              (then (local.set $cost (i32.add (local.get $above) (i32.const 1)))))
            (i32.store (local.get $at) (local.get $cost))
            (local.set $corner (local.get $above))
            (local.set $left (local.get $cost))
            (local.set $j (i32.add (local.get $j) (i32.const 1)))
            (br $cells)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $rows)))
    (i32.load (i32.add (local.get $row) (i32.shl (local.get $n) (i32.const 2))))))
